import type { Row } from '../rows/table-file.js';
import { preparing } from './import-passes.js';
import { rowId } from './row-ids.js';

const template = {
  type: 'membership',
  primaryLabel: 'Member',
  fields: [{ key: 'seat', label: 'Seat' }],
  backFields: [{ key: 'terms', label: 'Terms of use' }],
};

it('a row with an id keeps this id', () => {
  const prepare = preparing({ key: Buffer.alloc(16, 1).toString('base64') }, { id: 'No' }, template);
  const row = (cells: Row['cells']) => ({ number: 3, cells, endByte: 0 });
  expect(prepare(row({ No: 'ada' }))).toMatchObject({ pass: { id: 'ada' } });
  expect(prepare(row({ No: ' ' }))).toMatchObject({ pass: { id: rowId(Buffer.alloc(16, 1), 3) } });
});

it('a JSON line whose id is a number is rejected, and its pass does not get another id', () => {
  const prepare = preparing({ key: Buffer.alloc(16, 1).toString('base64') }, {}, template);
  const row = (cells: Row['cells']) => ({ number: 3, cells, endByte: 0 });
  expect(prepare(row({ id: 1042 }))).toMatchObject({ problem: 'id 1042 must be a text, such as "7"' });
  expect(prepare(row({ id: null }))).toMatchObject({ pass: { id: rowId(Buffer.alloc(16, 1), 3) } });
  expect(prepare(row({ id: '1042' }))).toMatchObject({ pass: { id: '1042' } });
});
