import { Pool, type PoolConfig } from 'pg';
import { isDatabaseUnavailable } from './connections/temporary-errors.js';

const NO_CONNECTION_LEFT = '53300';
const LOCKED = '55P03';

/**
 * Tests writability in one round trip. 64 kB is the smallest `work_mem` that Postgres accepts. Citus accepts neither
 * CASE here nor several statements in one text.
 */
const probeSql = `
  DO $$ BEGIN
    SET LOCAL work_mem = '64kB';
    SET LOCAL lock_timeout = '500ms';
    UPDATE incarnation SET beaten_in = (beaten_in::text::numeric
      + (pg_current_xact_id()::text::numeric = beaten_in::text::numeric + 1)::int)::text::xid8;
    PERFORM count(*) FROM generate_series(1, 10000);
  END $$`;

/**
 * The same test on the table `migration`. Only the coordinator of Citus has this table, so that a worker server that is
 * down does not matter.
 */
const migrationProbeSql = `
  DO $$ BEGIN
    SET LOCAL work_mem = '64kB';
    UPDATE migration SET name = name WHERE id = (SELECT max(id) FROM migration);
    PERFORM count(*) FROM generate_series(1, 10000);
  END $$`;

/** Tests the server on a separate connection, because the pool may merely be busy. */
export class Probes {
  private pool: Pool | null = null;

  /**
   * @param main the pool of requests and jobs, whose options these connections share. Its connections count if the
   * server has none left for a probe
   * @param isDistributed true if Citus distributes the tables
   */
  constructor(
    private readonly main: { readonly options: PoolConfig; query(sql: string): Promise<unknown> },
    private readonly isDistributed: boolean,
  ) {}

  /**
   * Proves that the database accepts writes: rewrites a row unchanged and runs a sort that needs the disk, because an
   * UPDATE alone would not notice a full disk. Fails while the server is unavailable, read-only or full. A lock on the
   * table `incarnation` does not matter, because writes of the API do not wait for it.
   */
  async proveWritable(): Promise<void> {
    if (this.isDistributed) return this.run(migrationProbeSql);
    try {
      await this.run(probeSql);
    } catch (error) {
      if (codeOf(error) !== LOCKED) throw error;
      await this.run(migrationProbeSql);
    }
  }

  /** Fails while the server is unavailable. */
  proveReachable(): Promise<void> {
    return this.run('SELECT');
  }

  async end(): Promise<void> {
    await this.pool?.end();
  }

  private async run(sql: string): Promise<void> {
    const pool = this.open();
    try {
      await pool.query(sql);
    } catch (error) {
      // Try again, because the idle connection may have been cut while the server is available.
      if (!isDatabaseUnavailable(error) || codeOf(error) === LOCKED) throw error;
      await (codeOf(error) === NO_CONNECTION_LEFT ? this.main : pool).query(sql);
    }
  }

  private open(): Pool {
    if (!this.pool) {
      this.pool = new Pool({ ...this.main.options, max: 1 });
      this.pool.on('error', () => undefined);
    }
    return this.pool;
  }
}

const codeOf = (error: unknown) => (error as { readonly code?: string }).code;
