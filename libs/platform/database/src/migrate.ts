import { setTimeout as pause } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import type { Client } from 'pg';
import { DataSource, QueryFailedError } from 'typeorm';
import { dataSourceTo } from './connections/data-source-options.js';
import { migrations } from './migrations/index.js';
import { createSchema, pinFunctions } from './schema/own-schema.js';
import { updateQueue } from './schema/queue-schema.js';
import { migrationClient } from './schema/schema-client.js';
import { checkedSchemaName } from './connections/schema-names.js';
import { CONNECT_MS, serviceClient } from './connections/service-client.js';
import { requireSupportedServer } from './server-version.js';

/** The current step of `migrate`, worded as the end of a sentence. */
export type MigrationStep =
  'connects to the database' | 'waits for another node that migrates' | 'checks and runs migrations';

/** Options of `migrateJobs`. */
export interface SchemaOptions {
  /** The schema of the tables, as in the options of `DatabaseModule`. Created if it does not exist. */
  readonly schema?: string | null;
}

/** Options of `migrate`. */
export interface MigrateOptions extends SchemaOptions {
  /** How long a migration waits for a table that is in use. */
  readonly lockMs?: number;
  /** How long a migration pauses before it tries again to lock a table that is in use. */
  readonly pauseMs?: number;
  /** Called when a step begins, at most once per step. */
  readonly begins?: (step: MigrationStep) => void;
}

type Begins = NonNullable<MigrateOptions['begins']>;
const ignore: Begins = () => undefined;

/** The SQL states of a migration that waited too long for a lock, or that Postgres ended because of a deadlock. */
const LOCKED_OUT: ReadonlySet<unknown> = new Set(['55P03', '40P01']);

const logger = new Logger('Migrations');

// An arbitrary number that identifies this lock: the bytes of "pass".
export const MIGRATION_LOCK = 0x70617373;
const LOCK_EVERY_MS = 100;

/**
 * Returns the key of the lock as SQL. Each schema has its own key, so that its migrations do not wait for another
 * schema's.
 */
export function migrationLock(schema: string | null): string {
  return schema === null ? String(MIGRATION_LOCK) : `${MIGRATION_LOCK}, hashtext('${schema}')`;
}

/**
 * Brings the schema up to date. An advisory lock makes nodes that start together wait for each other. A migration
 * commits as a whole, except migrations that must not block writes: they commit in steps, and resume after an
 * interruption. A migration waits for a table only briefly and then tries again, because other statements queue behind
 * it.
 * @param url the server or a pooler in session mode, because the lock belongs to a session
 * @throws when the server is older than Postgres 14
 */
export function migrate(
  url: string,
  { lockMs = 2000, pauseMs = 5000, begins = ignore, schema: name }: MigrateOptions = {},
): Promise<void> {
  return underLock(url, name, begins, async (lock, schema) => {
    begins('checks and runs migrations');
    while (!(await runMigrations(url, lockMs, schema).finally(() => pin(lock, schema)))) await pause(pauseMs);
    await updateQueue(url, lock, schema);
  });
}

/**
 * Brings only the job queue's tables up to date, for an app that runs `migrations` over its own connection. Nodes that
 * start together wait for each other.
 * @throws like `migrate`
 */
export function migrateJobs(url: string, { schema }: SchemaOptions = {}): Promise<void> {
  return underLock(url, schema, ignore, (lock, checked) => updateQueue(url, lock, checked));
}

/**
 * Pins the functions to the schema after each attempt, even a failed one: a migration that replaces a function removes
 * its setting.
 */
async function pin(client: Client, schema: string | null): Promise<void> {
  if (schema !== null) await pinFunctions(client, schema);
}

async function underLock(
  url: string,
  name: string | null | undefined,
  begins: Begins,
  work: (lock: Client, schema: string | null) => Promise<void>,
): Promise<void> {
  const schema = checkedSchemaName(name);
  // This connection has no statement limit, because migrations may take any time.
  const lock = new (serviceClient(0, { schema }))(url);
  begins('connects to the database');
  await lock.connect();
  try {
    await checkServer(lock);
    for (let isFirst = true; !(await takesLock(lock, schema)); isFirst = false) {
      if (isFirst) begins('waits for another node that migrates');
      await pause(LOCK_EVERY_MS);
    }
    if (schema !== null) await createSchema(lock, schema);
    await work(lock, schema);
  } finally {
    await lock.end();
  }
}

/** Tries to take the lock without waiting, because a waiting statement would block concurrent index builds. */
async function takesLock(client: Client, schema: string | null): Promise<boolean> {
  const { rows } = await client.query<{ taken: boolean }>(
    `SELECT pg_try_advisory_lock(${migrationLock(schema)}) AS taken`,
  );
  return rows[0]?.taken === true;
}

async function checkServer(client: Client): Promise<void> {
  const { rows } = await client.query<{ number: string; name: string }>(
    `SELECT current_setting('server_version_num') AS number, current_setting('server_version') AS name`,
  );
  requireSupportedServer(Number(rows[0]?.number), rows[0]?.name ?? 'unknown');
}

/** Runs the migrations that are due. @returns false if a table is in use */
async function runMigrations(url: string, lockMs: number, schema: string | null): Promise<boolean> {
  const dataSource = new DataSource({
    ...dataSourceTo(url, migrationClient(schema, lockMs)),
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
    if (!LOCKED_OUT.has(code)) throw error;
    logger.warn('A migration waits for a table that another transaction has in use, such as a backup; it tries again');
    return false;
  } finally {
    await dataSource.destroy();
  }
}
