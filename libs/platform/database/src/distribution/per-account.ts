import type { Database } from '../database.js';

/** SQL: the account of all rows of a statement whose first parameter is an array of accounts. */
const firstAccount = '($1::text[])[1]';
/** SQL: the account of all rows of a statement whose first parameter is a JSON array of rows. */
export const firstAccountOfJson = `($1::json -> 0 ->> 'account_id')`;

/**
 * Runs `work` for rows of any accounts: once, or on Citus once for each account. There, a statement that locks or
 * changes rows must name its account. `write` returns the statement to run.
 * @returns the results of all calls
 */
export async function perAccount<Row extends { readonly accountId: string }, Result>(
  { isDistributed }: Pick<Database, 'isDistributed'>,
  rows: readonly Row[],
  work: (rows: readonly Row[], write: (sql: string, account?: string) => string) => Promise<readonly Result[]>,
): Promise<Result[]> {
  if (!isDistributed) return [...(await work(rows, (sql) => sql))];
  const results: Result[] = [];
  for (const account of [...new Set(rows.map(({ accountId }) => accountId))].sort()) {
    results.push(
      ...(await work(
        rows.filter(({ accountId }) => accountId === account),
        inAccount,
      )),
    );
  }
  return results;
}

/**
 * Returns a statement for rows of all accounts. On Citus, it has no row lock, because Citus can lock only rows of one
 * account. Use it only for changes that two nodes may make at the same time.
 */
export function inAllAccounts({ isDistributed }: Pick<Database, 'isDistributed'>, sql: string): string {
  return isDistributed ? sql.replace(' FOR NO KEY UPDATE SKIP LOCKED', '') : sql;
}

/**
 * Returns a statement that Citus runs on the server of one account. Where the statement compares the accounts of two
 * tables, the result compares both with that account. @param account the account as an SQL expression
 */
export function inAccount(sql: string, account = firstAccount): string {
  const compared = /\b(\w{1,40}\.(?:account_id|"accountId")) = (\w{1,40}\.(?:account_id|"accountId"))/g;
  return sql.replace(compared, (_, one: string, other: string) => `${one} = ${account} AND ${other} = ${account}`);
}
