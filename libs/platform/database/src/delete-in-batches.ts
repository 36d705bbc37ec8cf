import type { EntityManager } from 'typeorm';
import type { Database } from './database.js';

const ROWS_AT_ONCE = 2000;

/** Expired rows of a table. The condition calls the table `old`. */
export interface OldRows {
  readonly table: string;
  /** The columns of the primary key. */
  readonly key: readonly string[];
  readonly condition: string;
  readonly values: readonly unknown[];
}

/**
 * Deletes rows in transactions of 2,000 until none is left, so that no lock is held for long.
 * @param some deletes up to `limit` rows and returns how many it deleted
 */
export async function deleteInBatches(
  database: Database,
  some: (tx: EntityManager, limit: number) => Promise<number>,
): Promise<void> {
  while ((await database.transaction((tx) => some(tx, ROWS_AT_ONCE))) >= ROWS_AT_ONCE);
}

/**
 * Deletes at most `limit` of these rows, and skips rows that another transaction has locked.
 * @returns the number of deleted rows
 */
export async function deleteSome(
  { isDistributed }: Pick<Database, 'isDistributed'>,
  tx: EntityManager,
  { table, key, condition, values }: OldRows,
  limit: number,
): Promise<number> {
  const same = key.map((column) => `old.${column} = page.${column}`).join(' AND ');
  // Citus cannot lock rows of several accounts, so there the deletion itself checks again that the rows are old.
  const [lock, stillOld] = isDistributed ? ['', `AND (${condition})`] : ['FOR UPDATE OF old SKIP LOCKED', ''];
  const [, deleted] = await tx.query<[unknown[], number]>(
    `WITH page AS MATERIALIZED (
       SELECT ${key.join(', ')} FROM ${table} AS old WHERE ${condition} LIMIT $${values.length + 1} ${lock}
     )
     DELETE FROM ${table} AS old USING page WHERE ${same} ${stillOld}`,
    [...values, limit],
  );
  return deleted;
}
