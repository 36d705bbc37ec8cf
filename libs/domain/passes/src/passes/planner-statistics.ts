import type { Database } from '@passwright/database';

/** The number of passes from which Postgres chooses an index that finds only the requested pass. */
const ENOUGH_PASSES = 1000;

/**
 * Analyzes the table of a young database once. Before autovacuum does so after a minute, Postgres assumes that a
 * template has one pass, and a look-up of a pass may read all passes of its template.
 */
export class PlannerStatistics {
  private inserted = 0;
  private isDone: boolean;

  constructor(private readonly database: Database) {
    this.isDone = database.isDistributed;
  }

  /** Called after passes were inserted, possibly before their transaction commits. */
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

/** Omits a partitioned table, because analyzing all its partitions may take minutes. */
const hasOldStatisticsSql = `
  SELECT FROM pg_class WHERE oid = 'pass'::regclass AND relkind = 'r' AND reltuples < $1`;
