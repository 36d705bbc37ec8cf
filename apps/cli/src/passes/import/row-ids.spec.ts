import { rowId } from './row-ids.js';

it('rowId derives the same valid id for the same row and key, and another id for another row or key', () => {
  const [key, other] = [Buffer.alloc(16, 1), Buffer.alloc(16, 2)];
  expect(rowId(key, 7)).toBe(rowId(key, 7));
  expect(rowId(key, 7)).toMatch(/^[0-9A-Za-z]{22}$/);
  const ids = [key, other].flatMap((one) => Array.from({ length: 500 }, (_, row) => rowId(one, row + 1)));
  expect(new Set(ids).size).toBe(1000);
});
