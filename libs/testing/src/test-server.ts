import { randomBytes } from 'node:crypto';
import { distribute, migrate } from '@passwright/database';
import { removeEmbeddedPostgres, startEmbeddedPostgres } from '@passwright/embedded-postgres';
import type { Client } from 'pg';
import { connectServers } from './citus.js';
import { connect } from './connect.js';
import { partitionByAccount } from './hash-partitions.js';
import { newServerFolder, removeServerFolders } from './server-folders.js';

/** The database server of one test run, with a migrated template database. */
export interface TestServer {
  /**
   * The address for creating databases. Never connect to the template database, because a connection prevents cloning.
   */
  readonly adminUrl: string;
  /** The name of the template database, with which the names of its clones begin. */
  readonly template: string;
  /** Drops every database of the run. Stops the server if the run has started it. */
  stop(): Promise<void>;
}

/** The number of shards of each distributed table. */
const SHARDS = 4;
const DATABASE = /^passwright_test_\d+_[0-9a-f]+/;

/**
 * Starts the server of a run: a new one without durability in a temporary folder, or the server at `givenUrl`, whose
 * role must be allowed to create databases. First removes the databases and folders of killed runs.
 * @param partitions the number of hash partitions of each account table; default: plain tables
 * @param schema the schema of the tables; default: public. If set, public contains other tables with the same names
 * @param workers the addresses of the workers if the server at `givenUrl` is the coordinator of a Citus cluster
 */
export async function startTestServer(
  givenUrl?: string,
  partitions = 0,
  schema: string | null = null,
  workers: readonly string[] = [],
): Promise<TestServer> {
  await removeServerFolders();
  const own = givenUrl ? null : await startOwn();
  const adminUrl = schemaUrl(givenUrl ?? own?.url ?? '', schema);
  const template = `passwright_test_${process.pid}_${randomBytes(3).toString('hex')}`;
  // Keep this connection open for the whole run, because its name tells other runs that the databases are in use.
  const admin = await connect(adminUrl, template);
  const stop = async () => {
    if (!own) {
      await dropDatabases(
        admin,
        (await testDatabases(admin)).filter((name) => name.startsWith(template)),
      );
    }
    for (const url of workers) await dropDatabasesAt(url, template);
    await admin.end();
    await own?.remove();
  };
  try {
    await removeDatabases(admin);
    await admin.query(`CREATE DATABASE ${template}`);
    const url = databaseUrl(adminUrl, template);
    if (schema !== null) await runOn(url, `CREATE SCHEMA ${schema}`);
    if (workers.length > 0) await prepareCluster([adminUrl, ...workers], template);
    await migrate(url);
    if (schema !== null) await runOn(url, occupyPublicSql);
    if (partitions > 0) await partitionByAccount(databaseUrl(adminUrl, template), partitions, 'same');
    if (workers.length > 0) await completeCluster([adminUrl, ...workers], template);
    return { adminUrl, template, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Creates the database on the workers. The coordinator already has it. */
async function prepareCluster(serverUrls: readonly string[], name: string): Promise<void> {
  for (const url of serverUrls.slice(1)) await runOn(url, `CREATE DATABASE ${name}`);
  await connectServers(serverUrls.map((url) => databaseUrl(url, name)));
}

/** Distributes the tables. Then ends Citus's connections, because they prevent cloning. */
async function completeCluster(serverUrls: readonly string[], name: string): Promise<void> {
  await distribute(databaseUrl(serverUrls[0] ?? '', name), { shards: SHARDS });
  for (const url of serverUrls) {
    await runOn(url, `ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
    await runOn(url, `SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = '${name}'`);
  }
}

async function dropDatabasesAt(serverUrl: string, prefix: string): Promise<void> {
  const client = await connect(serverUrl, 'passwright test template');
  const names = await testDatabases(client);
  await dropDatabases(
    client,
    names.filter((name) => name.startsWith(prefix)),
  );
  await client.end();
}

/** Returns an address whose connections use a schema. */
function schemaUrl(serverUrl: string, schema: string | null): string {
  const url = new URL(serverUrl);
  if (schema !== null) url.searchParams.set('options', `-c search_path=${schema}`);
  return url.href;
}

/**
 * Creates a table without columns in public for each of our tables, so that statements that use public by mistake fail.
 */
const occupyPublicSql = `
  DO $$ DECLARE ours name; BEGIN
    FOR ours IN SELECT relname FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p')
    LOOP EXECUTE format('CREATE TABLE public.%I (of_another_app text)', ours); END LOOP;
  END $$`;

async function runOn(url: string, sql: string): Promise<void> {
  const client = await connect(url, 'passwright test template');
  await client.query(sql).finally(() => client.end());
}

/** Returns the address of another database on the same server, with the same role. */
export function databaseUrl(serverUrl: string, database: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${database}`;
  return url.href;
}

async function startOwn(): Promise<{ url: string; remove(): Promise<void> }> {
  const dataDir = await newServerFolder();
  const remove = () => removeEmbeddedPostgres(dataDir);
  try {
    const { url } = await startEmbeddedPostgres({ dataDir, durable: false });
    return { url, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

async function removeDatabases(admin: Client): Promise<void> {
  // Read the databases before the connections, because a live run connects before it creates databases.
  const names = await testDatabases(admin);
  const { rows } = await admin.query<{ application_name: string }>('SELECT application_name FROM pg_stat_activity');
  const running = new Set(rows.map((row) => row.application_name));
  await dropDatabases(
    admin,
    names.filter((name) => !running.has(DATABASE.exec(name)?.[0] ?? '')),
  );
}

async function testDatabases(admin: Client): Promise<string[]> {
  const { rows } = await admin.query<{ datname: string }>('SELECT datname FROM pg_database');
  return rows.map(({ datname }) => datname).filter((name) => DATABASE.test(name));
}

async function dropDatabases(admin: Client, names: readonly string[]): Promise<void> {
  for (const name of names) await admin.query(`DROP DATABASE IF EXISTS ${admin.escapeIdentifier(name)} WITH (FORCE)`);
}
