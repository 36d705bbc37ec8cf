import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { getDataSourceToken, TypeOrmModule } from '@nestjs/typeorm';
import { emptyDatabase, type TestDatabase } from '@passwright/testing';
import { Client } from 'pg';
import { DataSource } from 'typeorm';
import { Database } from '../database.js';
import { DatabaseModule } from '../database.module.js';
import type { DatabaseOptions } from '../database.options.js';
import { migrate, migrateJobs, migrationLock } from '../migrate.js';
import { migrations } from '../migrations/index.js';
import { OwnDatabaseModule } from '../own-database.module.js';
import { queueClient } from './schema-client.js';
import { schemaNameProblem } from '../connections/schema-names.js';

jest.setTimeout(120_000);

let database: TestDatabase;
let client: Client;
beforeAll(async () => {
  database = await emptyDatabase();
  client = await open();
  await client.query('CREATE TABLE account (of_host text); CREATE TABLE migration (of_host text)');
  await Promise.all(['first', 'second'].map((schema) => migrate(database.url, { schema })));
});
afterAll(async () => {
  await client.end();
  await database.drop();
});

async function open(): Promise<Client> {
  const opened = new Client({ connectionString: database.url });
  await opened.connect();
  return opened;
}

/** Lists the tables, views, indexes, sequences and functions of a schema. */
async function objectsOf(schema: string): Promise<string[]> {
  const { rows } = await client.query<{ line: string }>(
    `SELECT format('%s %s', relkind, relname) AS line FROM pg_class
       WHERE relnamespace = to_regnamespace($1)
     UNION ALL SELECT format('function %s(%s)', proname, pg_get_function_identity_arguments(oid)) FROM pg_proc
       WHERE pronamespace = to_regnamespace($1)
     ORDER BY 1`,
    [schema],
  );
  return rows.map(({ line }) => line.replaceAll(`${schema}.`, ''));
}

/**
 * Starts an app with a Passwright module.
 * @returns the message of its failure; null if it starts
 */
async function start(...modules: NonNullable<Parameters<typeof Module>[0]['imports']>): Promise<string | null> {
  @Module({ imports: modules })
  class App {}
  try {
    const app = await NestFactory.createApplicationContext(App, { logger: false, abortOnError: false });
    await app.get(Database).proveWritable();
    await app.close();
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

const pool = (options: Partial<DatabaseOptions>) =>
  DatabaseModule.forRoot({ url: database.url, poolSize: 1, ...options });
const own = (connection: object) => [
  TypeOrmModule.forRoot({ type: 'postgres', url: database.url, retryAttempts: 0, ...connection }),
  OwnDatabaseModule.forRoot({ schema: 'first' }),
];
const path = (names: string) => ({ extra: { options: `-c search_path=${names}` } });

it("migrations with a schema create everything in that schema and its queue's schema, and nothing in public", async () => {
  const [first, second] = [await objectsOf('first'), await objectsOf('second')];
  expect(first.length).toBeGreaterThan(200);
  expect(first).toContain('r pass');
  expect(second).toEqual(first);
  expect(await objectsOf('first_queue')).toContain('r _private_jobs');
  expect(await objectsOf('public')).toEqual(['r account', 'r migration']);
  const { rows } = await client.query<{ name: string }>(
    `SELECT nspname AS name FROM pg_namespace WHERE nspname !~ '^pg_|^information_schema$' ORDER BY 1`,
  );
  expect(rows.map(({ name }) => name)).toEqual(['first', 'first_queue', 'public', 'second', 'second_queue']);
});

it('migrations of a schema that is up to date change nothing', async () => {
  const sql = 'SELECT max(oid::bigint)::text AS newest FROM pg_class';
  const before = (await client.query<object>(sql)).rows;
  await migrate(database.url, { schema: 'first' });
  await migrateJobs(database.url, { schema: 'first' });
  expect((await client.query<object>(sql)).rows).toEqual(before);
});

it('the functions of a schema add jobs only to the queue of that schema', async () => {
  const { rows } = await client.query<{ schema: string; queue: string }>(
    `SELECT DISTINCT pronamespace::regnamespace::text AS schema, match[1] AS queue
     FROM pg_proc, regexp_matches(prosrc, '(\\w+)\\.add_job', 'g') AS match
     WHERE pronamespace IN ('first'::regnamespace, 'second'::regnamespace) ORDER BY 1`,
  );
  expect(rows).toEqual([
    { schema: 'first', queue: 'first_queue' },
    { schema: 'second', queue: 'second_queue' },
  ]);
});

it('triggers use the tables of their own schema, even in a session with another search_path', async () => {
  await client.query('SET search_path = public');
  await client.query(`INSERT INTO first.account (id, name, created_at) VALUES ('acc_1', 'One', now());
    INSERT INTO first.webhook (account_id, id, secret, created_at, updated_at)
      VALUES ('acc_1', 'whk_1', 'x', now(), now())`);
  await client.query(`DELETE FROM first.webhook WHERE id = 'whk_1'`);
  await client.query(`DELETE FROM first.account`);
  await client.query('RESET search_path');
});

it('migrate pins the search_path of functions even if the update of the queue fails', async () => {
  const unpinned = `SELECT count(*)::int AS rows FROM pg_proc p JOIN pg_language l ON l.oid = prolang
    WHERE pronamespace = 'first'::regnamespace AND lanname = 'plpgsql' AND proconfig IS NULL`;
  await client.query(`DO $$ DECLARE pinned regprocedure; BEGIN
    FOR pinned IN SELECT oid FROM pg_proc WHERE pronamespace = 'first'::regnamespace AND proconfig IS NOT NULL
    LOOP EXECUTE format('ALTER FUNCTION %s RESET search_path', pinned); END LOOP; END $$`);
  expect((await client.query<{ rows: number }>(unpinned)).rows[0]?.rows).toBeGreaterThan(1);
  await client.query('ALTER TABLE first_queue._private_jobs RENAME COLUMN flags TO renamed');
  await expect(migrate(database.url, { schema: 'first' })).rejects.toThrow('first_queue._private_jobs.flags');
  await client.query('ALTER TABLE first_queue._private_jobs RENAME COLUMN renamed TO flags');
  expect((await client.query(unpinned)).rows).toEqual([{ rows: 0 }]);
});

it('migrate creates no second schema beside tables in public, unless the operator has created the schema', async () => {
  const shared = await emptyDatabase();
  const operator = new Client({ connectionString: shared.url });
  await operator.connect();
  try {
    await migrate(shared.url);
    const error: Error = await migrate(shared.url, { schema: 'second' }).then(
      () => new Error(),
      (e: Error) => e,
    );
    expect(error.name).toBe('SchemaCreationFailed');
    expect(error.message).toMatch(/^The database already has an installation in the schema "public", and the new/);
    const [create = ''] = /CREATE SCHEMA .*;$/.exec(error.message) ?? [];
    const found = `SELECT to_regnamespace('second')::text AS tables, to_regclass('second.pass')::text AS pass`;
    expect((await operator.query(found)).rows).toEqual([{ tables: null, pass: null }]);
    await operator.query(create);
    await migrate(shared.url, { schema: 'second' });
    expect((await operator.query(found)).rows).toEqual([{ tables: 'second', pass: 'second.pass' }]);
  } finally {
    await operator.end();
    await shared.drop();
  }
});

it('a schema may have a reserved word as its name', async () => {
  await migrate(database.url, { schema: 'user' });
  expect(await start(pool({ schema: 'user' }))).toBeNull();
  const connection = { type: 'postgres' as const, url: database.url, retryAttempts: 0, ...path('user,public') };
  expect(await start(TypeOrmModule.forRoot(connection), OwnDatabaseModule.forRoot({ schema: 'user' }))).toBeNull();
  await client.query('DROP SCHEMA "user" CASCADE; DROP SCHEMA user_queue CASCADE');
});

it('migrate rejects a schema named like the role, because it would hide the tables in public', async () => {
  const { username: schema } = new URL(database.url);
  const migration = migrate(database.url, { schema });
  await expect(migration).rejects.toThrow(`the new schema "${schema}" would hide those in public`);
  expect(await objectsOf(schema)).toEqual([]);
});

it('a migration does not wait for the lock of another schema', async () => {
  const other = await open();
  await other.query(`SELECT pg_advisory_lock(${migrationLock('second')}), pg_advisory_lock(${migrationLock(null)})`);
  await migrate(database.url, { schema: 'first' });
  await other.end();
});

it('workers of a queue receive only the notifications of their own queue', async () => {
  const heard: string[] = [];
  const clients = await Promise.all(
    [null, 'first', 'second'].map(async (schema) => {
      const worker = new (queueClient(schema))(database.url);
      await worker.connect();
      worker.on('notification', ({ channel, payload }) => heard.push(`${schema} ${channel} ${payload}`));
      await worker.query('LISTEN "jobs:insert"; LISTEN "worker:migrate";');
      return worker;
    }),
  );
  await client.query(`SELECT first_queue.add_job('test.errand')`);
  await clients[2]?.query('select pg_notify($1, $2)', ['worker:migrate', 'newer']);
  for (const worker of clients) await worker.query('SELECT');
  // Sort the notifications, because each worker has a separate connection and their order is not determined.
  expect(heard.sort()).toEqual([expect.stringMatching(/^first jobs:insert \{.*\}$/), 'second worker:migrate newer']);
  await client.query('DELETE FROM first_queue._private_jobs');
  for (const worker of clients) await worker.end();
});

it('an app starts with a separate pool and a separate schema for Passwright', async () => {
  expect(await start(pool({ schema: 'first' }))).toBeNull();
});

it('an app keeps its own connection under another name, and that connection sees the tables of the app', async () => {
  const host = TypeOrmModule.forRoot({ type: 'postgres', url: database.url, name: 'host', retryAttempts: 0 });
  @Module({ imports: [host, pool({ schema: 'first' })] })
  class App {}
  const app = await NestFactory.createApplicationContext(App, { logger: false, abortOnError: false });
  const count = 'SELECT count(of_host)::int AS rows FROM account';
  expect(await app.get<DataSource>(getDataSourceToken('host')).query(count)).toEqual([{ rows: 0 }]);
  await expect(app.get(DataSource).query(count)).rejects.toThrow('column "of_host" does not exist');
  await app.close();
});

it('an app shares the connection of its host if the schema comes first in its search path', async () => {
  expect(await start(...own(path('first,public')))).toBeNull();
});

it.each([
  ['the schema does not exist', () => [pool({ schema: 'third' })], /There is no schema "third". Call migrate/],
  [
    'the role of a pooled connection does not see the schema',
    () => [pool({ schema: 'first', pooled: true })],
    /look for tables in "\$user", public, not in the schema "first". Set search_path = "first" for/,
  ],
  ['the name of the schema is invalid', () => [pool({ schema: 'First' })], /"First" must have 1 to 30 lower-case/],
  [
    "the host's connection does not see the schema",
    () => own({}),
    /not in the schema "first". Give the app's connection extra: \{ options: '-c search_path=first,public' \}/,
  ],
  [
    "the host's connection sees another schema first",
    () => own(path('public,first')),
    /look for tables in public, ?first, not in the schema "first"/,
  ],
  [
    'TypeORM would put another schema before the names of our tables',
    () => own({ ...path('first,public'), schema: 'public' }),
    /TypeORM looks for all tables in the schema "public"/,
  ],
  [
    "our migrations are part of the host's history",
    () => own({ ...path('first,public'), migrations }),
    /are part of the app's history.*call migrate\(url, \{ schema: 'first' \}\)/,
  ],
])('an app does not start if %s', async (_, modules, message) => {
  expect(await start(...modules())).toMatch(message);
});

it.each([
  ['passwright', true],
  ['tickets_2', true],
  ['a'.repeat(30), true],
  ['a'.repeat(31), false],
  ['', false],
  ['2nd', false],
  ['Pass', false],
  ['pass"; DROP', false],
  ['public', false],
  ['pg_pass', false],
  ['information_schema', false],
  ['graphile_worker', false],
  ['first_queue', false],
])('the name %j of a schema is valid: %s', (name, isValid) => {
  expect(schemaNameProblem(name) === null).toBe(isValid);
});
