import { setTimeout as pause } from 'node:timers/promises';

const POLL_MS = 20;

/** Runs statements and returns their rows. */
interface Statements {
  query(sql: string, values?: unknown[]): Promise<readonly unknown[]>;
}

/**
 * Vacuums and analyses tables and their partitions until index-only scans work for all rows, because a single `VACUUM`
 * skips rows that another transaction may still see. Call it before you check query plans.
 */
export async function vacuumed(database: Statements, ...tables: readonly string[]): Promise<void> {
  for (;;) {
    await database.query(`VACUUM (ANALYZE, INDEX_CLEANUP ON) ${tables.join(', ')}`);
    const left = await database.query(
      `SELECT 1 FROM pg_class
        WHERE relkind = 'r' AND relallvisible < relpages
          AND (relname = ANY ($1)
            OR oid IN (SELECT tree.relid FROM unnest($1::text[]) parent, pg_partition_tree(parent::regclass) tree))`,
      [tables],
    );
    if (left.length === 0) return;
    await pause(POLL_MS);
  }
}
