import { plannedChanges } from './plan.js';

const [points, tier] = [
  { key: 'points', label: 'Points', value: '1' },
  { key: 'tier', label: 'Tier', value: 'Gold' },
];

it('plannedChanges lists each change with its path and its values', () => {
  const fields = { from: [points, tier], to: [{ ...points, value: '2' }, tier] };
  expect(plannedChanges({ code: { from: 'A-1', to: 'A-2' }, fields, expiry: { to: '2027-01-01' } })).toEqual([
    { path: 'code', before: 'A-1', after: 'A-2' },
    { path: 'fields.points.value', before: '1', after: '2' },
    { path: 'expiry', before: undefined, after: '2027-01-01' },
  ]);
});

it('plannedChanges lists each part of a list or object that was added or cleared', () => {
  expect(plannedChanges({ fields: { to: [points, tier] }, metadata: { from: { order: 7 } } })).toEqual([
    { path: 'fields.points', before: undefined, after: points },
    { path: 'fields.tier', before: undefined, after: tier },
    { path: 'metadata.order', before: 7, after: undefined },
  ]);
  expect(plannedChanges({ actions: { to: [] } })).toEqual([{ path: 'actions', before: undefined, after: [] }]);
});

it('plannedChanges shows a changed order, and a null in place of an absent value', () => {
  expect(plannedChanges({ fields: { from: [points, tier], to: [tier, points] } })).toEqual([
    { path: 'fields: order', before: 'points, tier', after: 'tier, points' },
  ]);
  expect(plannedChanges({ fields: { from: [points], to: [{ ...points, changeMessage: null }] } })).toEqual([
    { path: 'fields.points.changeMessage', before: undefined, after: 'null' },
  ]);
});

it.each([
  ['two items with the same key', [points, { ...points, value: '9' }]],
  ['an item without a key', [points, 'points']],
])('plannedChanges shows the whole list if it contains %s, because one item could hide another', (_, to) => {
  expect(plannedChanges({ fields: { from: [points], to } })).toEqual([{ path: 'fields', before: [points], after: to }]);
});

it('plannedChanges shows metadata as a whole if it contains a list, because one item could hide another', () => {
  const item = { key: 'fee', amount: 1 };
  const [before, after] = [
    { order: 7, items: [item] },
    { order: 8, items: [{ ...item, amount: 99 }, item] },
  ];
  expect(plannedChanges({ metadata: { from: before, to: after } })).toEqual([{ path: 'metadata', before, after }]);
});

it('plannedChanges shows every property, even if its values compare as equal', () => {
  expect(plannedChanges({ voided: { from: false, to: false } })).toEqual([
    { path: 'voided', before: false, after: false },
  ]);
});
