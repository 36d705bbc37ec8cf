import { setTimeout as pause } from 'node:timers/promises';
import { runMigrations as runJobMigrations } from 'graphile-worker';
import type { Client } from 'pg';
import { DataSource } from 'typeorm';
import { prepareQueue } from './jobs/queue.js';
import { migrations } from './migrations/index.js';
import { CONNECT_MS, serviceClient } from './service-client.js';
import { requireSupportedServer } from './server-version.js';

/** Migrations take as long as they take. */
const MigrationClient = serviceClient(0);

// Any number that no other software locks: the bytes of "pass".
export const MIGRATION_LOCK = 0x70617373;
const LOCK_EVERY_MS = 100;

/**
 * Brings the schema up to date. Nodes that start together wait for each other on an advisory lock, which a connection of
 * its own holds, since a migration runs in its own transaction. Each migration commits as a whole or not at all, but for
 * those that must not block writes: they go on where they were interrupted.
 * @throws when the server is older than Postgres 14
 */
export function migrate(url: string): Promise<void> {
  return underLock(url, async (lock) => {
    await runMigrations(url);
    await updateQueue(url, lock);
  });
}

/**
 * Brings the tables of the job queue alone up to date, for a team that runs `migrations` over its own connection: the
 * queue has a history of its own. Nodes that start together wait for each other. @throws as `migrate` does
 */
export function migrateJobs(url: string): Promise<void> {
  return underLock(url, (lock) => updateQueue(url, lock));
}

async function underLock(url: string, work: (lock: Client) => Promise<void>): Promise<void> {
  const lock = new MigrationClient(url);
  await lock.connect();
  try {
    await checkServer(lock);
    while (!(await takesLock(lock))) await pause(LOCK_EVERY_MS);
    await work(lock);
  } finally {
    await lock.end();
  }
}

/**
 * Takes the lock when it is free. A statement that waited for it would have a snapshot, and an index that is built
 * concurrently waits for all snapshots.
 */
async function takesLock(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ taken: boolean }>('SELECT pg_try_advisory_lock($1) AS taken', [MIGRATION_LOCK]);
  return rows[0]?.taken === true;
}

/** The queue's own tables, which the transactions of changes add jobs to. */
async function updateQueue(url: string, client: Client): Promise<void> {
  await runJobMigrations({ connectionString: url });
  await prepareQueue(client);
}

async function checkServer(client: Client): Promise<void> {
  const { rows } = await client.query<{ number: string; name: string }>(
    `SELECT current_setting('server_version_num') AS number, current_setting('server_version') AS name`,
  );
  requireSupportedServer(Number(rows[0]?.number), rows[0]?.name ?? 'unknown');
}

async function runMigrations(url: string): Promise<void> {
  const dataSource = new DataSource({
    type: 'postgres',
    url,
    migrations,
    migrationsTableName: 'migration',
    poolSize: 1,
    connectTimeoutMS: CONNECT_MS,
    extra: { Client: MigrationClient },
  });
  await dataSource.initialize();
  try {
    await dataSource.runMigrations({ transaction: 'each' });
  } finally {
    await dataSource.destroy();
  }
}
