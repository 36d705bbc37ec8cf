import fc from 'fast-check';
import { contentOf, imageUrlsOf } from './template-content.js';
import { passDraft, templateDraft } from './template-draft.js';
import { templateExamples } from './template-examples.js';
import { inForm, TemplateRequestPipe } from './template-request.pipe.js';
import { templateRequests } from './template.dto.js';

type Type = keyof typeof templateRequests;
type Json = Record<string, unknown>;
const types = Object.keys(templateRequests) as Type[];
const example = (type: Type) => JSON.parse(JSON.stringify(templateExamples[type].value)) as Json;

describe.each(types)('a draft of type %s', (type) => {
  it('without mistakes is read as a save reads it', async () => {
    const field = { key: 'a', label: 'A', value: '', changeMessage: 'Now %@' };
    const body = { ...example(type), labelColor: '#fff', fields: [field, { ...field, key: 'b', changeMessage: '' }] };
    const request = await inForm(body);
    const { images: _, ...content } = contentOf(request, {});
    const draft = await templateDraft(body);
    expect(draft.refused).toEqual([]);
    expect(draft.images).toEqual(imageUrlsOf(request));
    const place = { name: null, relevantText: null };
    expect(draft.content).toEqual({
      ...content,
      archivedAt: null,
      // Where a text is not set, renderers take null like undefined.
      locations: content.locations.map((location) => ({ ...place, ...location })),
      location: content.location && { ...place, ...content.location },
    });
  });

  it('keeps what can be read whatever the rest is, and says what a save would refuse', async () => {
    const property = fc.constantFrom(...Object.keys(example(type)), 'locations', 'fields', 'backFields', 'location');
    await fc.assert(
      fc.asyncProperty(property, fc.jsonValue(), async (name, value) => {
        const body = { ...example(type), [name]: value };
        const refused = await new TemplateRequestPipe().transform(body).then(
          () => false,
          () => true,
        );
        const draft = await templateDraft(body);
        // What is refused for more than its form, the rules find.
        if (!refused) expect(draft.refused).toEqual([]);
        if (name !== 'title') expect(draft.content.title).toBe(example(type).title);
      }),
      { numRuns: 50 },
    );
  });
});

it('names the place of each mistake, also in lists', async () => {
  const { refused, content } = await templateDraft({
    ...example('offer'),
    fields: [null, { key: 'a', label: 3, value: 'x' }],
  });
  expect(refused.map(({ sentence }) => sentence)).toEqual([
    'fields must be a list of objects',
    expect.stringMatching(/^fields\[0\]: /),
    'fields[1].label must be a string',
  ]);
  expect(content.fields).toEqual([
    { key: '', label: '', value: '' },
    { key: 'a', label: '', value: 'x' },
  ]);
});

it('reads a pass of any content', async () => {
  await fc.assert(
    fc.asyncProperty(fc.dictionary(fc.constantFrom('code', 'expiry', 'fields', 'x'), fc.jsonValue()), async (body) => {
      const { content } = await passDraft(body);
      expect(typeof (content.code ?? '')).toBe('string');
    }),
  );
  const pass = await passDraft({
    id: 'ada',
    code: 'A',
    expiry: '2026-01-01T00:00:00Z',
    metadata: { a: 1 },
    voided: true,
  });
  expect(pass.refused).toEqual([]);
  expect(pass.content).toMatchObject({ code: 'A', expiresAt: new Date('2026-01-01T00:00:00Z'), primaryValue: null });
});
