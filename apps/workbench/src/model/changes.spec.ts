import { changesBetween, inWords } from './changes.js';

it('changesBetween ignores the order of properties, and treats null as an absent property', () => {
  expect(changesBetween({ a: 1, b: [{ key: 'x', value: '' }] }, { b: [{ value: '', key: 'x' }], a: 1 })).toEqual([]);
  expect(changesBetween({ a: null }, {})).toEqual([]);
});

it('changesBetween returns the path and both values of a change', () => {
  expect(changesBetween({ title: 'Tea', at: { name: 'Oslo' } }, { title: 'Coffee', at: { name: 'Bergen' } })).toEqual([
    { path: 'title', before: 'Tea', after: 'Coffee' },
    { path: 'at.name', before: 'Oslo', after: 'Bergen' },
  ]);
});

it('changesBetween compares fields by their key, at any position in the list', () => {
  const [points, tier] = [
    { key: 'points', label: 'Points', value: '1' },
    { key: 'tier', label: 'Tier', value: 'Gold' },
  ];
  expect(changesBetween({ fields: [points, tier] }, { fields: [tier, { ...points, value: '2' }] })).toEqual([
    { path: 'fields.points.value', before: '1', after: '2' },
  ]);
  expect(changesBetween({ fields: [points] }, { fields: [] })).toEqual([
    { path: 'fields.points', before: points, after: undefined },
  ]);
});

it('changesBetween compares items without a key by their position', () => {
  expect(changesBetween(['a', 'b'], ['a', 'c', 'd'])).toEqual([
    { path: '2', before: 'b', after: 'c' },
    { path: '3', before: undefined, after: 'd' },
  ]);
});

it('inWords writes a value on one line', () => {
  expect([undefined, '', 'Tea', 3, { a: 1 }].map(inWords)).toEqual(['—', '—', 'Tea', '3', '{"a":1}']);
});
