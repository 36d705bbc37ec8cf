import type { ItemOf } from '@passwright/client';
import { Columns } from './export.js';

type Listed = ItemOf<'listPasses'>;

const template = { fields: [], backFields: [] };
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

describe('the columns of an export', () => {
  it('an export has the language and the group of a pass', () => {
    const columns = new Columns(template, [pass]);
    expect(cellsOf(columns, { language: 'de', group: { id: 'order-1', order: 0 } })).toMatchObject({
      ...{ id: 'ada', webUrl: 'w', language: 'de', group: 'order-1', 'group.order': '0' },
    });
    expect(cellsOf(columns, {})).toMatchObject({ language: '', group: '', 'group.order': '' });
    expect(columns.missing).toEqual([]);
  });

  it('an export names the parts of passes that have no column', () => {
    const columns = new Columns(template, [pass]);
    cellsOf(columns, { translations: {}, linkedPasses: [], actions: null });
    expect(columns.missing).toEqual([]);
    cellsOf(columns, { translations: { de: { title: 'X' } }, linkedPasses: [{ templateId: 't', passId: 'p' }] });
    cellsOf(columns, { actions: [], fields: [{ key: 'gate', label: 'Gate', value: 'C' }] });
    expect(columns.missing).toEqual(['translations', 'linkedPasses', 'actions', 'fields.gate']);
  });
});
