import { inAccount, inAllAccounts, perAccount } from './per-account.js';

const rows = [
  { accountId: 'b', n: 1 },
  { accountId: 'a', n: 2 },
  { accountId: 'b', n: 3 },
];
const sql = 'UPDATE pass p SET n = 1 FROM k WHERE p.account_id = k.account_id AND p.id = k.id';

async function calls(isDistributed: boolean): Promise<{ n: number[]; text: string }[]> {
  return perAccount({ isDistributed }, rows, (some, write) =>
    Promise.resolve([{ n: some.map(({ n }) => n), text: write(sql) }]),
  );
}

it('perAccount runs the unchanged statement once on one server', async () => {
  expect(await calls(false)).toEqual([{ n: [1, 2, 3], text: sql }]);
});

it('perAccount runs a statement for each account on Citus', async () => {
  expect((await calls(true)).map(({ n }) => n)).toEqual([[2], [1, 3]]);
});

it('inAccount names the account in the conditions of both tables', () => {
  expect(inAccount(sql, '$3')).toBe(
    'UPDATE pass p SET n = 1 FROM k WHERE p.account_id = $3 AND k.account_id = $3 AND p.id = k.id',
  );
});

it('inAccount names the account in a condition that compares it with a value from JSON', () => {
  expect(inAccount('r.account_id = g."accountId"')).toContain('g."accountId" = ($1::text[])[1]');
});

it('inAllAccounts removes the row lock from a statement on Citus', () => {
  const page = 'SELECT id FROM pass LIMIT 9 FOR NO KEY UPDATE SKIP LOCKED';
  expect([false, true].map((isDistributed) => inAllAccounts({ isDistributed }, page))).toEqual([
    page,
    'SELECT id FROM pass LIMIT 9',
  ]);
});
