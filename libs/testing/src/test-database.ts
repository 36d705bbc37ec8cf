import type { Client } from 'pg';
import { connect } from './connect.js';
import { databaseUrl } from './test-server.js';

/** A database for tests. */
export interface TestDatabase {
  readonly url: string;
  /** Drops the database and ends its connections. This is optional, because the end of the run drops every database. */
  drop(): Promise<void>;
}

/**
 * Returns the migrated database of this spec file. The first call clones the run's template database. Tests do not
 * empty the database, so each test must create its own account.
 */
export async function testDatabase(): Promise<TestDatabase> {
  const { serverUrl, template } = testRun();
  const { PASSWRIGHT_TEST_FILE: file = '0' } = process.env;
  const name = `${template}_${process.pid}_f${file}`;
  process.env.PASSWRIGHT_TEST_DATABASE = name;
  return create(serverUrl, name, template);
}

/** Creates a database without a schema, for code that creates or migrates a schema. Drop the database afterwards. */
export async function emptyDatabase(): Promise<TestDatabase> {
  const { serverUrl, template } = testRun();
  const database = await create(serverUrl, `${template}_${process.pid}_${process.hrtime.bigint()}`, 'template1');
  const { SCHEMA: schema } = process.env;
  if (schema) await runAt(database.url, `CREATE SCHEMA ${schema}`);
  return database;
}

async function create(serverUrl: string, name: string, template: string): Promise<TestDatabase> {
  const servers = [serverUrl, ...workerUrls()];
  for (const url of servers) {
    await clone(url, name, template).catch((error: unknown) => {
      // Ignore that the database already exists: another call may just have created it.
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
 * Copies a database. A server without durability copies the files, which takes a third of the time of a copy through
 * the write-ahead log. Before copying files, a durable server would have to flush every database to disk.
 */
async function clone(serverUrl: string, name: string, template: string): Promise<void> {
  await withAdmin(serverUrl, async (admin) => {
    const { rows } = await admin.query<{ copies: boolean }>(
      `SELECT current_setting('fsync') = 'off' AND current_setting('server_version_num')::int >= 150000 AS copies`,
    );
    await admin.query(`CREATE DATABASE ${name} TEMPLATE ${template}${rows[0]?.copies ? ' STRATEGY FILE_COPY' : ''}`);
  });
}

/** Returns the addresses of the workers of a Citus cluster, because each worker needs every database too. */
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
