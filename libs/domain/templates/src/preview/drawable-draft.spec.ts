import { preview, previewWallets } from '@passwright/wallet-renderers';
import fc from 'fast-check';
import { passDraft, templateDraft } from '../lint/template-draft.js';
import { templateExamples } from '../templates/template-examples.js';
import { drawablePass, drawableTemplate } from './drawable-draft.js';

const now = new Date('2026-11-26T12:00:00Z');
const types = Object.keys(templateExamples) as (keyof typeof templateExamples)[];
const names = ['title', 'issuerName', 'startDate', 'foregroundColor', 'backgroundColor', 'labelColor', 'codeFormat'];
const lists = [
  'fields',
  'backFields',
  'locations',
  'location',
  'primaryLabel',
  'code',
  'expiry',
  'primaryValue',
  'actions',
];
const anyValue = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom('', '#', '#12', 'x'.repeat(2000), '2026-01-01T00:00:00Z'),
  fc.array(fc.record({ key: fc.constant('a'), label: fc.string(), value: fc.string() }), { maxLength: 9 }),
  fc.array(fc.record({ type: fc.constantFrom('shop', 'place'), url: fc.constant('https://a.example') }), {
    maxLength: 3,
  }),
  fc.array(fc.record({ address: fc.string(), latitude: fc.double(), longitude: fc.double() }), { maxLength: 3 }),
);

it('every wallet draws a draft with any properties', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...types),
      fc.dictionary(fc.constantFrom(...names, ...lists), anyValue, { maxKeys: 4 }),
      async (type, changes) => {
        const { content } = await templateDraft({ ...templateExamples[type].value, ...changes, type });
        const template = drawableTemplate(content);
        const pass = drawablePass(template, (await passDraft(changes)).content);
        for (const wallet of previewWallets) {
          const { svg } = preview(template, pass, { wallet, theme: 'light', images: {}, now });
          expect(svg).toMatch(/^<svg /);
        }
      },
    ),
    { numRuns: 60 },
  );
}, 60_000);

it('a valid draft is drawn without changes', async () => {
  const { content } = await templateDraft({ ...templateExamples.event.value });
  expect(drawableTemplate(content)).toEqual(content);
});

it('the pass of a draft has the content of the request, with a sample code if the request has no code', async () => {
  const { content } = await templateDraft({ ...templateExamples.membership.value });
  const pass = async (body: object) => drawablePass(content, (await passDraft({ ...body })).content);
  expect(await pass({ primaryValue: 'Grace Hopper' })).toMatchObject({
    primaryValue: 'Grace Hopper',
    code: 'SAMPLE-0001',
  });
  expect(await pass({ code: 'G-1' })).toMatchObject({ primaryValue: 'Ada Lovelace', code: 'G-1' });
  expect(drawablePass(content, null)).toMatchObject({ primaryValue: 'Ada Lovelace', code: 'SAMPLE-0001' });
});

describe('a draft that is longer than a saved template', () => {
  const long = ')'.repeat(900_000);
  const field = (key: string) => ({ key, label: long, value: long, changeMessage: `${long}%@` });
  const oversized = {
    title: long,
    issuerName: long,
    primaryLabel: long,
    primaryValue: long,
    fields: Array.from({ length: 9 }, (_, n) => field(`front${n}`)),
    backFields: Array.from({ length: 99 }, (_, n) => field(`back${n}`)),
    locations: Array.from({ length: 99 }, () => ({
      ...{ name: long, address: long, relevantText: long },
      ...{ latitude: 1, longitude: 2 },
    })),
    translations: Object.fromEntries(['de', 'fr', 'nb'].map((tag) => [tag, { title: long }])),
    actions: Array.from({ length: 9 }, () => ({ type: 'shop', url: `https://a.example/${long}` })),
  };

  it('a draft that is too long is shortened before it is drawn, which limits the time for drawing', async () => {
    const { content } = await templateDraft({ ...templateExamples.membership.value, ...oversized });
    const template = drawableTemplate(content);
    const pass = drawablePass(template, (await passDraft(oversized)).content);
    // The texts of 50 back fields, each of up to 4,000 characters, are the largest part of a saved template.
    expect(JSON.stringify(template).length).toBeLessThan(500_000);
    expect(JSON.stringify(pass).length).toBeLessThan(500_000);
    expect([template.fields.length, template.backFields.length, template.locations.length]).toEqual([4, 50, 10]);
    expect([pass.fields.length, pass.backFields.length, pass.locations.length]).toEqual([4, 50, 10]);
    expect([template.actions, template.translations, pass.actions, pass.translations]).toEqual([[], {}, [], {}]);
  });

  it('drawableTemplate keeps the first languages, as many as fit into a saved template', async () => {
    const translations = { de: { title: 'Hallo' }, fr: { title: long }, nb: { title: 'Hei' } };
    const { content } = await templateDraft({ ...templateExamples.membership.value, translations });
    expect(drawableTemplate(content).translations).toEqual({ de: { title: 'Hallo' } });
  });
});
