import type { EntityManager, SelectQueryBuilder } from 'typeorm';
import type { Database } from '../database.js';

type Distributed = Pick<Database, 'isDistributed'>;
type OfAccount = { readonly accountId: string };

/**
 * Reads and locks a page of rows of all accounts. Citus can lock only rows of one account at a time. On Citus, the
 * function therefore reads the page first, and then locks its rows for each account.
 * @param read builds the query, and with an account the query for its rows.
 * @param lock adds the lock
 */
export async function lockedPage<Row extends OfAccount>(
  database: Distributed,
  read: (account?: string) => SelectQueryBuilder<Row>,
  lock: (query: SelectQueryBuilder<Row>) => SelectQueryBuilder<Row>,
): Promise<Row[]> {
  if (!database.isDistributed) return lock(read()).getMany();
  const locked: Row[] = [];
  for (const [account, rows] of byAccount(await read().getMany())) {
    locked.push(...(await lockedRows(database, () => read(account).limit(rows.length), lock)));
  }
  return locked;
}

/**
 * Reads and locks rows of one account. On Citus, locks the keys first and then reads the rows, because Citus cannot
 * lock rows in a statement that reads a second table.
 */
export async function lockedRows<Row extends object>(
  { isDistributed }: Distributed,
  read: () => SelectQueryBuilder<Row>,
  lock: (query: SelectQueryBuilder<Row>) => SelectQueryBuilder<Row>,
): Promise<Row[]> {
  if (!isDistributed) return lock(read()).getMany();
  const { name, metadata } = read().expressionMap.mainAlias ?? {};
  const keys = metadata?.primaryColumns.map(({ propertyName }) => `${name}.${propertyName}`) ?? [];
  const locked = (await lock(read().select(keys)).getMany()).map((row) => metadata?.getEntityIdMap(row));
  return locked.length === 0 ? [] : read().whereInIds(locked).getMany();
}

/**
 * Works like `lockedPage` for a statement that has the columns `account_id` and `id` and ends with the lock.
 * @returns the page, and the rows of the page that are locked and still match
 */
export async function lockedPageOf<Row extends OfAccount & { readonly id: string }>(
  { isDistributed }: Distributed,
  tx: EntityManager,
  sql: string,
  values: readonly unknown[],
): Promise<{ page: Row[]; locked: Row[] }> {
  if (!isDistributed) {
    const page = await tx.query<Row[]>(sql, [...values]);
    return { page, locked: page };
  }
  const page = await tx.query<Row[]>(sql.replace(/ FOR (NO KEY )?UPDATE$/, ''), [...values]);
  const [account, ids] = [values.length + 1, values.length + 2];
  const named = sql.replace('WHERE ', `WHERE account_id = $${account} AND id = ANY ($${ids}::text[]) AND `);
  const locked: Row[] = [];
  for (const [accountId, rows] of byAccount(page))
    locked.push(...(await tx.query<Row[]>(named, [...values, accountId, rows.map(({ id }) => id)])));
  return { page, locked };
}

function byAccount<Row extends OfAccount>(rows: readonly Row[]): Map<string, Row[]> {
  const accounts = new Map<string, Row[]>();
  for (const row of rows) accounts.set(row.accountId, [...(accounts.get(row.accountId) ?? []), row]);
  return accounts;
}
