import { bodyOf, idFrom, itemsOf, newKey, starterOf, textOf, types, withProperty, withType } from './template.js';

const base = 'http://localhost:3000';

it('the body of a stored template leaves out what the service sets', () => {
  const stored = {
    id: 'a',
    accountId: 'b',
    archived: false,
    createdAt: 'c',
    updatedAt: 'd',
    type: 'offer',
    title: 'Tea',
  };
  expect(bodyOf(stored)).toEqual({ type: 'offer', title: 'Tea' });
});

it('an empty text removes an optional property', () => {
  expect(withProperty({ title: 'Tea', labelColor: '#fff' }, 'labelColor', '')).toEqual({ title: 'Tea' });
  expect(withProperty({ title: 'Tea' }, 'title', 'Coffee')).toEqual({ title: 'Coffee' });
});

it.each(types.flatMap(([from]) => types.map(([to]) => [from, to] as const)))(
  'a template of type %s becomes one of type %s that has exactly the properties of the type',
  (from, to) => {
    const changed = withType(starterOf(from, base), to, base);
    const { fields: _, ...needed } = starterOf(to, base);
    const { fields: __, ...got } = changed;
    expect(Object.keys(got).sort()).toEqual(Object.keys(needed).sort());
    expect(changed.type).toBe(to);
    expect(changed.title).toBe(starterOf(from, base).title);
  },
);

it('properties that the JSON editor has damaged count as empty', () => {
  expect(textOf({ title: 3 }, 'title')).toBe('');
  expect(itemsOf({ fields: 'x' }, 'fields')).toEqual([]);
  expect(itemsOf({ fields: [null, { key: 'a' }] }, 'fields')).toEqual([{}, { key: 'a' }]);
});

it('an id has the words of the title, without accents', () => {
  expect(['Gold club', 'Café au lait, 20%!', '  ', '日本'].map(idFrom)).toEqual([
    'gold-club',
    'cafe-au-lait-20',
    '',
    '',
  ]);
});

it('a new field gets a key that is free', () => {
  expect(newKey([])).toBe('field1');
  expect(newKey([{ key: 'field2' }])).toBe('field3');
  expect(newKey([{ key: 'a' }, { key: 'b' }])).toBe('field3');
});
