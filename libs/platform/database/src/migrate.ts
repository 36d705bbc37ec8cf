import { setTimeout as pause } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import type { Client } from 'pg';
import { DataSource, QueryFailedError } from 'typeorm';
import { dataSourceTo } from './connections/data-source-to.js';
import { migrations } from './migrations/index.js';
import { updateQueue } from './queue-schema.js';
import { CONNECT_MS, serviceClient } from './connections/service-client.js';
import { requireSupportedServer } from './server-version.js';

/** A client without a statement limit, because migrations may take any time. */
const AnyLength = serviceClient(0);

/** The current step of `migrate`, worded as the end of a sentence. */
export type MigrationStep =
  'connects to the database' | 'waits for another node that migrates' | 'checks and runs migrations';

/** Options of `migrate`. */
export interface MigrateOptions {
  /** How long a migration waits for a table that is in use. */
  readonly lockMs?: number;
  /** How long a migration then leaves that table to other transactions before it tries again. */
  readonly pauseMs?: number;
  /** Called when a step begins, at most once per step. */
  readonly begins?: (step: MigrationStep) => void;
}

type Begins = NonNullable<MigrateOptions['begins']>;
const ignore: Begins = () => undefined;

const LOCK_NOT_AVAILABLE = '55P03';

const logger = new Logger('Migrations');

// An arbitrary number that identifies this lock: the bytes of "pass".
export const MIGRATION_LOCK = 0x70617373;
const LOCK_EVERY_MS = 100;

/**
 * Brings the schema up to date. Nodes that start together wait for each other on an advisory lock, held by a separate
 * connection because each migration runs in its own transaction. A migration commits as a whole or not at all. Only
 * migrations that must not block writes commit in steps; they resume after an interruption. While a migration waits for
 * a table, other statements queue behind it, so it waits briefly and tries again as often as needed.
 * @param url leads to the server, or to a pooler in session mode, because the lock belongs to a session
 * @throws when the server is older than Postgres 14
 */
export function migrate(
  url: string,
  { lockMs = 2000, pauseMs = 5000, begins = ignore }: MigrateOptions = {},
): Promise<void> {
  return underLock(url, begins, async (lock) => {
    begins('checks and runs migrations');
    while (!(await runMigrations(url, lockMs))) await pause(pauseMs);
    await updateQueue(url, lock);
  });
}

/**
 * Brings only the job queue's tables up to date, for a team that runs `migrations` over its own connection. The queue
 * has its own migration history. Nodes that start together wait for each other. @throws like `migrate`
 */
export function migrateJobs(url: string): Promise<void> {
  return underLock(url, ignore, (lock) => updateQueue(url, lock));
}

async function underLock(url: string, begins: Begins, work: (lock: Client) => Promise<void>): Promise<void> {
  const lock = new AnyLength(url);
  begins('connects to the database');
  await lock.connect();
  try {
    await checkServer(lock);
    for (let isFirst = true; !(await takesLock(lock)); isFirst = false) {
      if (isFirst) begins('waits for another node that migrates');
      await pause(LOCK_EVERY_MS);
    }
    await work(lock);
  } finally {
    await lock.end();
  }
}

/**
 * Tries to take the lock without waiting. A waiting statement would hold a snapshot, and building an index concurrently
 * waits for all snapshots to end.
 */
async function takesLock(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ taken: boolean }>('SELECT pg_try_advisory_lock($1) AS taken', [MIGRATION_LOCK]);
  return rows[0]?.taken === true;
}

async function checkServer(client: Client): Promise<void> {
  const { rows } = await client.query<{ number: string; name: string }>(
    `SELECT current_setting('server_version_num') AS number, current_setting('server_version') AS name`,
  );
  requireSupportedServer(Number(rows[0]?.number), rows[0]?.name ?? 'unknown');
}

/** Runs the migrations that are due. @returns false if a table is in use */
async function runMigrations(url: string, lockMs: number): Promise<boolean> {
  const dataSource = new DataSource({
    ...dataSourceTo(url, serviceClient(0, { lockMs })),
    migrations,
    migrationsTableName: 'migration',
    poolSize: 1,
    connectTimeoutMS: CONNECT_MS,
  });
  await dataSource.initialize();
  try {
    await dataSource.runMigrations({ transaction: 'each' });
    return true;
  } catch (error) {
    const { code } = error instanceof QueryFailedError ? (error.driverError as { code?: string }) : {};
    if (code !== LOCK_NOT_AVAILABLE) throw error;
    logger.warn('A migration waits for a table that another transaction has in use, such as a back-up; it tries again');
    return false;
  } finally {
    await dataSource.destroy();
  }
}
