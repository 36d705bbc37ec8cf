import { setTimeout as pause } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { counted, loggedError } from '@passwright/core';
import { Pool, type PoolConfig } from 'pg';
import { DataSource, type DataSourceOptions, type QueryRunner } from 'typeorm';
import { ClosableStorage } from '../closable-storage.js';
import { dataSourceTo } from '../connections/data-source-options.js';
import { inspectConnection } from '../connections/inspect-connection.js';
import { serviceClient, STATEMENT_MS } from '../connections/service-client.js';
import { isDatabaseUnavailable, isStatementTimeout } from '../connections/temporary-errors.js';
import type { DatabaseOptions } from '../database.options.js';
import { requireSchema, SchemaNotSeen } from '../schema/own-schema.js';
import { isTransactionConflict } from '../transaction-retries.js';
import { SharedRun } from './shared-run.js';

/** How long a read waits for the standby. Streaming takes a few milliseconds. */
const LONGEST_WAIT_MS = 50;
const LOOK_MS = 3;
/** The time for which reads skip a standby that has failed or was too far behind. */
const LEFT_OUT_MS = 1000;

/** The position in the write-ahead log up to which the primary has flushed. */
interface Position {
  /** The cluster and the database in it. */
  readonly server: string;
  readonly timeline: string;
  readonly bytes: string;
}

/**
 * Asks for the flushed position. A commit becomes visible only after it has been flushed, except with
 * `synchronous_commit = off`.
 */
const positionQuery = {
  name: 'position',
  text: `SELECT server_identity() AS server, wal_timeline()::text AS timeline,
    pg_wal_lsn_diff(pg_current_wal_flush_lsn(), '0/0')::text AS bytes`,
};

/**
 * Asks the standby whether it has replayed up to a position. A standby of another timeline may contain changes that the
 * primary has lost.
 */
const caughtUpSql = `
  SELECT pg_is_in_recovery() AND server_identity() = $1 AND timeline_id::text = $2 AS follows,
    pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0') >= $3::numeric AS "isCaughtUp"
  FROM pg_control_checkpoint()`;

/** The server is not a standby of this database: it is a primary, or belongs to another database or history. */
class NotFollowing extends Error {}

/** The standby is behind a pooler that may run each statement of a read on another server. */
class SessionsShared extends Error {}

/**
 * Reads on a standby that are as fresh as on the primary. Each read asks the primary for its position in the
 * write-ahead log, and waits until the standby has replayed it. Simultaneous reads share one such request.
 */
export class Replica {
  private readonly logger = new Logger('Replica');
  private readonly runners = new ClosableStorage<QueryRunner>();
  private readonly position = new SharedRun(() => this.askPrimary());
  /** A separate connection to the primary, because a busy pool must not delay the request for the position. */
  private readonly asking: Pool;
  private source: Promise<DataSource> | null = null;
  private leftOutUntil = 0;
  private hasWarned = false;

  constructor(
    private readonly primary: DataSource,
    private readonly options: DatabaseOptions & { readonly replicaUrl: string },
  ) {
    const { master } = primary.driver as DataSource['driver'] & { master: { options: PoolConfig } };
    this.asking = new Pool({ ...master.options, max: 1 });
    this.asking.on('error', () => undefined);
  }

  /** The connection of the read that runs now; undefined outside of `read`. */
  get runner(): QueryRunner | undefined {
    return this.runners.getStore();
  }

  /** Runs `work` outside of the current read, so that `work` does not use the read's connection. */
  leave<T>(work: () => T): T {
    return this.runners.exit(work);
  }

  /**
   * Runs `work` on the standby. Runs it on the primary if the standby is unavailable or too far behind, or fails
   * meanwhile.
   */
  async read<T>(work: () => Promise<T>): Promise<T> {
    if (this.runner) return work();
    const runner = await this.caughtUp();
    if (!runner) return this.onPrimary(work);
    try {
      const result = await this.runners.run(runner, work);
      counted('replica_reads', { server: 'replica' });
      return result;
    } catch (error) {
      if (!isOfStandby(error)) throw error;
      this.leaveOut(error);
      return await this.onPrimary(work);
    } finally {
      await runner.release().catch(() => undefined);
    }
  }

  private onPrimary<T>(work: () => Promise<T>): Promise<T> {
    counted('replica_reads', { server: 'primary' });
    return work();
  }

  async close(): Promise<void> {
    this.leftOutUntil = Infinity;
    this.runners.close();
    const source = await this.source?.catch(() => null);
    await source?.destroy();
    await this.asking.end();
  }

  private async caughtUp(): Promise<QueryRunner | null> {
    if (performance.now() < this.leftOutUntil) return null;
    const given = new AbortController();
    const position = await this.position.run().catch(() => null);
    if (!position) return null;
    const runner = this.runnerAt(position, given.signal);
    const late = pause(LONGEST_WAIT_MS, 'late' as const, { signal: given.signal, ref: false }).catch(() => null);
    try {
      const first = await Promise.race([runner, late]);
      if (first !== 'late') return first;
      this.leaveOut(new Error(`It is more than ${LONGEST_WAIT_MS} ms behind, or does not respond`));
      void runner.then((unused) => unused?.release()).catch(() => undefined);
      return null;
    } catch (error) {
      this.leaveOut(error);
      return null;
    } finally {
      given.abort();
    }
  }

  /** Returns a connection once the standby has replayed up to a position; null if `signal` aborts before. */
  private async runnerAt(position: Position, signal: AbortSignal): Promise<QueryRunner | null> {
    const { server, timeline, bytes } = position;
    const runner = (await this.open()).createQueryRunner();
    try {
      while (!signal.aborted) {
        const [row] = (await runner.query(caughtUpSql, [server, timeline, bytes])) as [
          { follows: boolean; isCaughtUp: boolean | null },
        ];
        if (!row.follows) throw new NotFollowing('It does not follow the primary, or has not made a checkpoint since');
        if (row.isCaughtUp) return runner;
        await pause(LOOK_MS, undefined, { signal }).catch(() => undefined);
      }
    } catch (error) {
      await runner.release().catch(() => undefined);
      throw error;
    }
    await runner.release();
    return null;
  }

  private async askPrimary(): Promise<Position> {
    const { rows } = await this.asking.query<Position>(positionQuery);
    const [position] = rows;
    if (!position) throw new Error('The primary returned no position');
    return position;
  }

  /** Connects at the first read, so that the service can start while the standby is unavailable. */
  private open(): Promise<DataSource> {
    if (this.source) return this.source;
    const opened = this.connect();
    opened.catch((error: unknown) => {
      this.source = null;
      this.warn(error);
    });
    this.source = opened;
    return opened;
  }

  /** Connects to the standby and sets the limits and the schema, even if the primary is behind a pooler. */
  private async connect(): Promise<DataSource> {
    const { replicaUrl, statementMs = STATEMENT_MS, preparedStatements = true, schema } = this.options;
    await requireSessions(replicaUrl);
    const client = serviceClient(statementMs, { preparedStatements, schema: schema ?? null, standby: true });
    const source = new DataSource({
      ...this.primary.options,
      ...dataSourceTo(replicaUrl, client),
    } as DataSourceOptions);
    await source.initialize();
    if (!schema) return source;
    try {
      await requireSchema(source, schema, `Grant their role USAGE on the schema "${schema}".`);
      return source;
    } catch (error) {
      await source.destroy();
      throw error;
    }
  }

  /** Logs once that reads cannot use the standby until the operator makes a change. */
  private warn(reason: unknown): void {
    if (this.hasWarned || !(reason instanceof SessionsShared || reason instanceof SchemaNotSeen)) return;
    this.hasWarned = true;
    this.logger.warn(`The primary answers all reads, because the standby cannot: ${loggedError(reason).message}`);
  }

  private leaveOut(reason: unknown): void {
    if (performance.now() < this.leftOutUntil) return;
    this.leftOutUntil = performance.now() + LEFT_OUT_MS;
    this.logger.debug(`The standby is left out for a second: ${loggedError(reason).message}`);
  }
}

/**
 * Checks that each connection to the standby has its own session, before anything is set on it. @throws SessionsShared,
 * or the error of a server that does not respond
 */
async function requireSessions(url: string): Promise<void> {
  const report = await inspectConnection(url, { standby: true });
  if (report.mode === 'transaction') throw new SessionsShared('The standby is behind a pooler in transaction mode');
}

/** Returns true for an error that the same read would not get on the primary. */
function isOfStandby(error: unknown): boolean {
  return (isDatabaseUnavailable(error) && !isStatementTimeout(error)) || isTransactionConflict(error);
}
