import { type ItemOf, matchColumns, passOfRow } from '@passwright/client';
import { Columns } from './export-passes.js';

type Listed = ItemOf<'listPasses'>;

const seat = { key: 'seat', label: 'Seat' };
const template = { type: 'membership', primaryLabel: 'Member', fields: [seat], backFields: [] };
const pass = {
  id: 'ada',
  fields: [],
  backFields: [],
  walletAUrl: 'a',
  walletBUrl: 'b',
  webUrl: 'w',
} as object as Listed;
const cellsOf = (columns: Columns, one: object) => {
  const cells = columns.cellsOf({ ...pass, ...one });
  return Object.fromEntries(columns.names.map((name, at) => [name, cells[at]]));
};
const imported = (columns: Columns, one: object) =>
  passOfRow(matchColumns(columns.names, template), cellsOf(columns, one), template, true);

describe('the columns of an export', () => {
  it('an export has columns for the language and the group of a pass', () => {
    const columns = new Columns(template, [pass]);
    expect(cellsOf(columns, { language: 'de', group: { id: 'order-1', order: 0 } })).toMatchObject({
      ...{ id: 'ada', webUrl: 'w', language: 'de', group: 'order-1', 'group.order': '0' },
    });
    expect(cellsOf(columns, {})).toMatchObject({ language: '', group: '', 'group.order': '' });
  });

  it('an export writes each field into its own column, and adds JSON only for fields that need more than a value', () => {
    const columns = new Columns(template, [pass]);
    const cells = cellsOf(columns, { fields: [{ ...seat, value: '14' }] });
    expect([cells['fields.seat'], cells['fields']]).toEqual(['14', '']);
    const other = [{ key: 'seat', label: 'Box', value: '14' }];
    expect(cellsOf(columns, { fields: other })).toMatchObject({ 'fields.seat': '14', fields: JSON.stringify(other) });
  });

  it.each([
    ['texts with spaces around them', { code: ' A 1 ', primaryValue: ' Ada ' }],
    ['a language and a group', { language: 'de', group: { id: 'order-1', order: 2 } }],
    ['fields of the template', { fields: [{ ...seat, value: '14 ' }] }],
    ['a field with its own label', { fields: [{ key: 'seat', label: 'Box', value: '14' }] }],
    ['a field with a change message', { fields: [{ ...seat, value: '14', changeMessage: 'Now %@' }] }],
    ['an empty value', { fields: [{ ...seat, value: '' }] }],
    ['fields that later rows have', { fields: [{ key: 'gate', label: 'Gate', value: 'C' }] }],
    ['back fields', { backFields: [{ key: 'terms', label: 'Terms', value: 'One\n"two", three' }] }],
    ['locations', { locations: [{ address: 'Quay 1', latitude: 53.5, longitude: 10 }] }],
    ['translations', { translations: { de: { 'fields.seat.value': 'vierzehn' } } }],
    ['actions', { actions: [{ type: 'shop', url: 'https://example.com/shop' }] }],
    ['no actions, which hides those of the template', { actions: [] }],
    ['linked passes', { linkedPasses: [{ templateId: 'parking', passId: 'ada' }] }],
    ['metadata', { metadata: { order: 7, tags: ['a', 'b'] } }],
  ])('an import of an exported row creates the same pass: %s', (_, parts) => {
    expect(imported(new Columns(template, [pass]), parts)).toEqual({ id: 'ada', ...parts });
  });
});
