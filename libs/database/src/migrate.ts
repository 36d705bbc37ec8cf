import { Client } from 'pg';
import { DataSource } from 'typeorm';
import { migrations } from './migrations/index.js';

// Any number that no other software locks: the bytes of "pass".
const MIGRATION_LOCK = 0x70617373;

/**
 * Brings the schema up to date. Nodes that start together wait for each other on an advisory lock, which a connection of
 * its own holds, since a migration runs in its own transaction. Each migration commits as a whole or not at all.
 * @throws when the server is older than Postgres 14
 */
export async function migrate(url: string): Promise<void> {
  const lock = new Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  await lock.connect();
  try {
    await requireSupportedServer(lock);
    await lock.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    await runMigrations(url);
  } finally {
    await lock.end();
  }
}

async function requireSupportedServer(client: Client): Promise<void> {
  const { rows } = await client.query<{ server_version_num: string; server_version: string }>(
    `SELECT current_setting('server_version_num') AS server_version_num, current_setting('server_version') AS server_version`,
  );
  const server = rows[0];
  if (!server || Number(server.server_version_num) < 140000) {
    throw new Error(`Passwright needs Postgres 14 or newer; this server is ${server?.server_version ?? 'unknown'}.`);
  }
}

async function runMigrations(url: string): Promise<void> {
  const dataSource = new DataSource({
    type: 'postgres',
    url,
    migrations,
    migrationsTableName: 'migration',
    poolSize: 1,
  });
  await dataSource.initialize();
  try {
    await dataSource.runMigrations({ transaction: 'each' });
  } finally {
    await dataSource.destroy();
  }
}
