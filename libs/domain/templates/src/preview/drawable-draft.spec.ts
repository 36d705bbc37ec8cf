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

it('every wallet draws a draft whatever its properties are', async () => {
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

it('a valid draft is drawn with its own colours and places', async () => {
  const { content } = await templateDraft({ ...templateExamples.event.value });
  expect(drawableTemplate(content)).toEqual(content);
});

it('the pass of a draft has the content of the request, and the sample’s code until it has one', async () => {
  const { content } = await templateDraft({ ...templateExamples.membership.value });
  const pass = async (body: object) => drawablePass(content, (await passDraft({ ...body })).content);
  expect(await pass({ primaryValue: 'Grace Hopper' })).toMatchObject({
    primaryValue: 'Grace Hopper',
    code: 'SAMPLE-0001',
  });
  expect(await pass({ code: 'G-1' })).toMatchObject({ primaryValue: 'Ada Lovelace', code: 'G-1' });
  expect(drawablePass(content, null)).toMatchObject({ primaryValue: 'Ada Lovelace', code: 'SAMPLE-0001' });
});
