import type { Guide } from './guide-markdown.js';
import { GuideSearch } from './guide-search.js';

const guide = (path: string, title: string, ...sections: [heading: string, text: string][]): Guide => ({
  path,
  title,
  html: '',
  sections: sections.map(([heading, text]) => ({ id: heading.toLowerCase().replaceAll(' ', '-'), heading, text })),
});
const guides = [
  guide(
    'webhooks',
    'Webhooks',
    ['Webhooks', 'Notify other systems.'],
    ['Another secret', 'Rotate the secret of a webhook.'],
  ),
  guide('security', 'Security', ['Keys', `${'Many words about other things. '.repeat(20)} Each secret is encrypted.`]),
];
let search: GuideSearch;
beforeAll(async () => {
  search = await GuideSearch.of(guides);
});

it('GuideSearch finds the sections that contain all words, and lists matching headings first', () => {
  expect(search.find('secret').map(({ path }) => path)).toEqual(['webhooks#another-secret', 'security#keys']);
  expect(search.find('secret rotate').map(({ path }) => path)).toEqual(['webhooks#another-secret']);
});

it('GuideSearch finds words by their beginning, and despite a typing mistake', () => {
  expect(search.find('encr').map(({ path }) => path)).toEqual(['security#keys']);
  expect(search.find('encrypetd').map(({ path }) => path)).toEqual(['security#keys']);
  expect(search.find('nothing at all')).toEqual([]);
});

it.each([
  ['spaces', ' '],
  ['punctuation', '.'],
  ['signs of other scripts', '、'],
  ['tabs', '\t'],
])('GuideSearch ignores all but the first eight words, also between %s', (_, separator) => {
  const eight = ['each', 'secret', 'is', 'encrypted', 'many', 'words', 'about', 'other'].join(separator);
  expect(search.find(`${eight}${separator}absent`).map(({ path }) => path)).toEqual(['security#keys']);
  expect(search.find(`absent${separator}${eight}`)).toEqual([]);
});

it('GuideSearch shows the words around the first match', () => {
  const [found] = search.find('encrypted');
  expect(found).toMatchObject({ guide: 'Security', heading: 'Keys' });
  expect(found?.excerpt).toMatch(/^… .*Each secret is encrypted\.$/);
  expect(found?.excerpt.length).toBeLessThan(240);
});

it('GuideSearch lets other work run after each guide while it builds its index', async () => {
  let turns = 0;
  const building = GuideSearch.of(Array.from({ length: 20 }, (_, n) => guide(`g${n}`, 'Guide', ['Heading', 'Text.'])));
  let isBuilt = false;
  void building.then(() => (isBuilt = true));
  const turn = () => {
    turns += 1;
    if (!isBuilt) setImmediate(turn);
  };
  setImmediate(turn);
  await building;
  expect(turns).toBeGreaterThan(10);
});
