import { migrate } from '@passwright/database';
import type { Client } from 'pg';
import { connect } from './connect.js';
import { databaseUrl } from './test-server.js';

/** A database for tests. */
export interface TestDatabase {
  readonly url: string;
  /** Drops the database and ends its connections. Optional, because the end of the run drops every database. */
  drop(): Promise<void>;
}

/**
 * Returns the migrated database of this spec file, which is cloned at the first call. Each test must create its own
 * account, because tests share the database.
 */
export async function testDatabase(): Promise<TestDatabase> {
  const { serverUrl, template } = testRun();
  const { PASSWRIGHT_TEST_FILE: file = '0' } = process.env;
  const name = `${template}_${process.pid}_f${file}`;
  process.env.PASSWRIGHT_TEST_DATABASE = name;
  return create(serverUrl, name, template);
}

/** Creates another database with plain tables, for a spec file that needs several. Drop the database afterwards. */
export async function migratedDatabase(): Promise<TestDatabase> {
  const { PARTITIONS, TEST_CITUS_WORKERS } = process.env;
  if (PARTITIONS || TEST_CITUS_WORKERS) {
    // The template's tables are partitioned or distributed.
    const database = await emptyDatabase();
    await migrate(database.url);
    return database;
  }
  const { serverUrl, template } = testRun();
  return create(serverUrl, newName(template), template);
}

/** Creates a database without a schema, for code that creates or migrates one. Drop the database afterwards. */
export async function emptyDatabase(): Promise<TestDatabase> {
  const { serverUrl, template } = testRun();
  const database = await create(serverUrl, newName(template), 'template1');
  const { SCHEMA: schema } = process.env;
  if (schema) await runAt(database.url, `CREATE SCHEMA ${schema}`);
  return database;
}

/** Returns the name of a new database. It begins with the name of the run's template. */
function newName(template: string): string {
  return `${template}_${process.pid}_${process.hrtime.bigint()}`;
}

async function create(serverUrl: string, name: string, template: string): Promise<TestDatabase> {
  const servers = [serverUrl, ...workerUrls()];
  for (const url of servers) {
    await clone(url, name, template).catch((error: unknown) => {
      // Ignore the error, because another call may just have created the database.
      if (!['42P04', '23505'].includes((error as { code?: string }).code ?? '')) throw error;
    });
  }
  return {
    url: databaseUrl(serverUrl, name),
    drop: async () => {
      for (const url of servers) await runAt(url, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    },
  };
}

/**
 * Copies a database. A server without durability copies the files, which is three times as fast as the write-ahead log.
 * A durable server would have to flush every database first.
 */
async function clone(serverUrl: string, name: string, template: string): Promise<void> {
  await withAdmin(serverUrl, async (admin) => {
    const { rows } = await admin.query<{ copies: boolean }>(
      `SELECT current_setting('fsync') = 'off' AND current_setting('server_version_num')::int >= 150000 AS copies`,
    );
    await admin.query(`CREATE DATABASE ${name} TEMPLATE ${template}${rows[0]?.copies ? ' STRATEGY FILE_COPY' : ''}`);
  });
}

/** Returns the addresses of the workers of a Citus cluster, which need every database too. */
function workerUrls(): string[] {
  return (process.env.TEST_CITUS_WORKERS ?? '').split(',').filter(Boolean);
}

async function runAt(serverUrl: string, sql: string): Promise<void> {
  await withAdmin(serverUrl, (admin) => admin.query(sql));
}

async function withAdmin(serverUrl: string, work: (admin: Client) => Promise<unknown>): Promise<void> {
  const admin = await connect(serverUrl, 'passwright test worker');
  try {
    await work(admin);
  } finally {
    await admin.end();
  }
}

function testRun(): { serverUrl: string; template: string } {
  const { PASSWRIGHT_TEST_SERVER: serverUrl, PASSWRIGHT_TEST_TEMPLATE: template } = process.env;
  if (serverUrl && template) return { serverUrl, template };
  throw new Error(
    'No test server: the global setup starts one only for *.int-spec.ts and *.e2e-spec.ts files. Name this spec so.',
  );
}
