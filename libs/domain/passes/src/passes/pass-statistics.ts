import type { Database } from '@passwright/database';

/** From this number of passes on, Postgres plans each look-up of a pass by an index that finds only this pass. */
const ENOUGH_PASSES = 1000;

/**
 * Analyzes the table of a young database once, before autovacuum does. Without statistics, Postgres assumes that a
 * template has one pass. Look-ups of a pass may then read all passes of its template, on each connection that has
 * planned them, until autovacuum comes after a minute.
 */
export class PassStatistics {
  private inserted = 0;
  private isDone: boolean;

  constructor(private readonly database: Database) {
    this.isDone = database.isDistributed;
  }

  /** Called after passes were inserted, even if their transaction has not committed. */
  add(passes: number): void {
    if (this.isDone) return;
    if (this.inserted >= ENOUGH_PASSES) this.analyze();
    this.inserted += passes;
  }

  private analyze(): void {
    this.isDone = true;
    this.database.eventually(async (tx) => {
      const found = await tx.query<unknown[]>(hasOldStatisticsSql, [ENOUGH_PASSES]);
      if (found.length > 0) await tx.query('ANALYZE (SKIP_LOCKED) pass');
    });
  }
}

/** Omits a partitioned table: its partitions are analyzed separately, and analyzing all of them may take minutes. */
const hasOldStatisticsSql = `
  SELECT FROM pg_class WHERE oid = 'pass'::regclass AND relkind = 'r' AND reltuples < $1`;
