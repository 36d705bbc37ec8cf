import { bodyOf, idFrom, itemsOf, newKey, starterOf, textOf, types, withProperty, withType } from './template.js';

const base = 'http://localhost:3000';

it('bodyOf leaves out the properties that the service sets', () => {
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

it('withProperty removes an optional property if its new text is empty', () => {
  expect(withProperty({ title: 'Tea', labelColor: '#fff' }, 'labelColor', '')).toEqual({ title: 'Tea' });
  expect(withProperty({ title: 'Tea' }, 'title', 'Coffee')).toEqual({ title: 'Coffee' });
});

it.each(types.flatMap(([from]) => types.map(([to]) => [from, to] as const)))(
  'withType turns a template of type %s into one of type %s with exactly the properties of that type',
  (from, to) => {
    const changed = withType(starterOf(from, base), to, base);
    const { fields: _, ...needed } = starterOf(to, base);
    const { fields: __, ...got } = changed;
    expect(Object.keys(got).sort()).toEqual(Object.keys(needed).sort());
    expect(changed.type).toBe(to);
    expect(changed.title).toBe(starterOf(from, base).title);
  },
);

it('withType removes the times of an event from other types, and the artwork from an event', () => {
  const event = { ...starterOf('event', base), endDate: 'x', doorsOpen: 'y', location: {} };
  for (const [type] of types.filter(([each]) => each !== 'event')) {
    expect(Object.keys(withType(event, type, base))).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/^(?:startDate|endDate|doorsOpen|location)$/)]),
    );
  }
  expect(withType({ ...starterOf('offer', base), artwork: 'z' }, 'event', base)).not.toHaveProperty('artwork');
});

it('textOf and itemsOf treat values of the wrong type as empty', () => {
  expect(textOf({ title: 3 }, 'title')).toBe('');
  expect(itemsOf({ fields: 'x' }, 'fields')).toEqual([]);
  expect(itemsOf({ fields: [null, { key: 'a' }] }, 'fields')).toEqual([{}, { key: 'a' }]);
});

it('idFrom joins the words of a title by hyphens, and removes accents', () => {
  expect(['Gold club', 'Café au lait, 20%!', '  ', '日本'].map(idFrom)).toEqual([
    'gold-club',
    'cafe-au-lait-20',
    '',
    '',
  ]);
});

it('newKey returns a key that no field has', () => {
  expect(newKey([])).toBe('field1');
  expect(newKey([{ key: 'field2' }])).toBe('field3');
  expect(newKey([{ key: 'a' }, { key: 'b' }])).toBe('field3');
});
