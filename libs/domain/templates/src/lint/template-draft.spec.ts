import { examine } from '@passwright/wallet-renderers';
import fc from 'fast-check';
import { contentOf, imageUrlsOf } from '../templates/template-content.js';
import { passDraft, type TemplateDraft, templateDraft } from './template-draft.js';
import { templateExamples } from '../templates/template-examples.js';
import { inForm, TemplateRequestPipe } from '../templates/template-request.pipe.js';
import { templateRequests } from '../templates/template.dto.js';

type Type = keyof typeof templateRequests;
type Json = Record<string, unknown>;
const types = Object.keys(templateRequests) as Type[];
const example = (type: Type) => JSON.parse(JSON.stringify(templateExamples[type].value)) as Json;

/** Returns the addresses of a draft's images. Omits errors, because a save checks only later that images exist. */
const imagesOf = ({ images }: TemplateDraft) =>
  Object.fromEntries(Object.keys(images).map((purpose) => [purpose, null]));

/** Arbitrary values, and values that are almost valid. */
const anyValue = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom('', ' ', '#fff', '2026-01-01T00:00:00Z'),
  fc.array(
    fc.record(
      {
        key: fc.constantFrom('a', 'b', '', '_c', 3),
        label: fc.constantFrom('L', '', null),
        value: fc.constantFrom('V', '', 'x'.repeat(1001)),
        changeMessage: fc.constantFrom('', null, '%@', 'x', 5),
      },
      { requiredKeys: ['key', 'label', 'value'] },
    ),
    { maxLength: 6 },
  ),
  fc.array(
    fc.record({ address: fc.constantFrom('A', ''), latitude: fc.constantFrom(1, 91, '1'), longitude: fc.constant(2) }),
    {
      maxLength: 12,
    },
  ),
);

describe.each(types)('a draft of type %s', (type) => {
  it('templateDraft reads the same content from a valid draft as a save does', async () => {
    const field = { key: 'a', label: 'A', value: '', changeMessage: 'Now %@' };
    const look = { labelColor: '#fff', codeFormat: 'pdf417' };
    const body = { ...example(type), ...look, fields: [field, { ...field, key: 'b', changeMessage: '' }] };
    const request = await inForm(body);
    const { images: _, localisedImages: __, ...content } = contentOf(request, {});
    const draft = await templateDraft(body);
    expect(draft.rejected).toEqual([]);
    expect(draft.images).toEqual(imageUrlsOf(request));
    const place = { name: null, relevantText: null };
    expect(draft.content).toEqual({
      ...content,
      archivedAt: null,
      // Replace absent texts with null, because renderers treat null like undefined.
      locations: content.locations.map((location) => ({ ...place, ...location })),
      location: content.location && { ...place, ...content.location },
    });
  });

  it('the lint reports an error for a draft with any value in one property exactly if a save rejects the draft', async () => {
    const property = fc.constantFrom(...Object.keys(example(type)), 'locations', 'fields', 'backFields', 'location');
    await fc.assert(
      fc.asyncProperty(property, anyValue, async (name, value) => {
        const body = { ...example(type), [name]: value };
        const rejected = await new TemplateRequestPipe().transform(body).then(
          () => false,
          () => true,
        );
        const draft = await templateDraft(body);
        const findings = examine(draft.content, null, imagesOf(draft), { rejected: draft.rejected });
        expect(findings.some(({ severity }) => severity === 'error')).toBe(rejected);
        if (name !== 'title') expect(draft.content.title).toBe(example(type).title);
      }),
      { numRuns: 200 },
    );
  });
});

it('templateDraft names the path of each mistake, even in lists', async () => {
  const { rejected, content } = await templateDraft({
    ...example('offer'),
    fields: [null, { key: 'a', label: 3, value: 'x' }],
  });
  expect(rejected.map(({ sentence }) => sentence)).toEqual([
    'fields must be a list of objects',
    expect.stringMatching(/^fields\[0\]: /),
    'fields[1].label must be a string',
  ]);
  expect(content.fields).toEqual([
    { key: '', label: '', value: '' },
    { key: 'a', label: '', value: 'x' },
  ]);
});

it('templateDraft shortens lists and texts that are far too long, but the lint still rejects them', async () => {
  const long = `https://a.example/${'é'.repeat(100_000)}`;
  const backFields = Array.from({ length: 700 }, (_, n) => ({ key: `k${n}`, label: 'L', value: long }));
  const { content, rejected } = await templateDraft({
    ...example('offer'),
    ...{ fields: backFields.map(({ key }) => ({ key: `f${key}`, label: 'L', value: 'V' })), backFields },
  });
  expect([content.fields, content.backFields].map(({ length }) => length)).toEqual([51, 51]);
  expect(content.backFields[50]!.value).toHaveLength(8002);
  const findings = examine(content, null, null, { rejected });
  const paths = findings.filter(({ severity }) => severity === 'error').map(({ path }) => path);
  expect(paths).toEqual(expect.arrayContaining(['$.fields', '$.backFields', '$.backFields[0].value']));
});

it('passDraft reads a pass draft with any content', async () => {
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
  expect(pass.rejected).toEqual([]);
  expect(pass.content).toMatchObject({ code: 'A', expiresAt: new Date('2026-01-01T00:00:00Z'), primaryValue: null });
});
