import { replacement } from './replacement.js';

const pass = {
  id: 'Teir',
  code: 'Teir-1',
  primaryValue: 'Ada Teir',
  fields: [
    { key: 'tier', label: 'Teir', value: 'Gold', changeMessage: 'Your Teir is %@' },
    { key: 'points', label: 'Points', value: '7' },
  ],
  backFields: [{ key: 'terms', label: 'Terms', value: 'See $& of the Teir list' }],
};

it('a replacement changes the texts that holders see, but not ids or codes', () => {
  expect(replacement(pass, 'Teir', 'Tier')).toEqual({
    primaryValue: 'Ada Tier',
    fields: [
      { key: 'tier', label: 'Tier', value: 'Gold', changeMessage: 'Your Tier is %@' },
      { key: 'points', label: 'Points', value: '7' },
    ],
    backFields: [{ key: 'terms', label: 'Terms', value: 'See $& of the Tier list' }],
  });
});

it('a replacement leaves out lists that do not contain the text, and inserts the new text literally', () => {
  expect(replacement(pass, 'Gold', '$& 100%')).toEqual({
    fields: [{ key: 'tier', label: 'Teir', value: '$& 100%', changeMessage: 'Your Teir is %@' }, pass.fields[1]],
  });
});

it.each(['Silver', 'gold', ''])('a pass without the text %j is not changed', (find) => {
  expect(replacement(pass, find, 'x')).toBeNull();
});

it('a pass without a primary value and without fields is not changed', () => {
  expect(replacement({ id: 'p', fields: [], backFields: [] }, 'a', 'b')).toBeNull();
});

it.each([
  ['Gold', 'Gold Plus', 'Gold, Gold Plus', 'Gold Plus, Gold Plus'],
  ['Gold', 'Gold Plus', 'Gold Plus', 'Gold Plus'],
  ['a', 'a-a', 'a-a a', 'a-a a-a'],
  ['bc', 'ab', 'abc', 'aab'],
])('a replacement of %j by %j turns %j into %j', (find, by, before, after) => {
  expect(replacement({ primaryValue: before }, find, by)).toEqual(before === after ? null : { primaryValue: after });
});
