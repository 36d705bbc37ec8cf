import { setTimeout as pause } from 'node:timers/promises';

const POLL_MS = 20;

/** Sends statements and answers with their rows, as TypeORM's managers do. */
interface Statements {
  query(sql: string, values?: unknown[]): Promise<readonly unknown[]>;
}

/**
 * Vacuums and analyses tables, with their partitions, until an index alone can answer for all of their rows. A single
 * `VACUUM` leaves out what a transaction of somebody else might still see. Call it before a look at the plans of queries.
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
