import { setTimeout as pause } from 'node:timers/promises';
import { emptyDatabase, type TestDatabase } from '@passwright/testing';
import { Logger } from '@nestjs/common';
import { Client } from 'pg';
import { DataSource } from 'typeorm';
import { migrate, MIGRATION_LOCK, migrateJobs } from './migrate.js';
import { UsageByDay1765710000000 } from './migrations/1765710000000-usage-by-day.js';
import { migrations } from './migrations/index.js';

let database: TestDatabase;
beforeEach(async () => {
  database = await emptyDatabase();
});
afterEach(async () => {
  jest.restoreAllMocks();
  await database.drop();
});

async function query(sql: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: database.url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

/** Repeats a query until it returns rows. */
async function untilRows(sql: string): Promise<Record<string, unknown>[]> {
  for (;;) {
    const rows = await query(sql);
    if (rows.length > 0) return rows;
    await pause(5);
  }
}

/** Describes every table, column, index and constraint as text. */
async function schema(): Promise<string[]> {
  const rows = await query(`
    SELECT format('%s.%s %s %s %s', table_name, column_name, data_type, is_nullable, column_default) AS line
      FROM information_schema.columns WHERE table_schema = 'public'
    UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = 'public'
    UNION ALL SELECT conrelid::regclass || ' ' || pg_get_constraintdef(oid) FROM pg_constraint
      WHERE connamespace = 'public'::regnamespace
    ORDER BY 1`);
  return rows.map(({ line }) => String(line));
}

/** Runs the first migration only. @returns a connection whose transaction has the table `pass` in use */
async function readerAfterFirstMigration(): Promise<Client> {
  const first = new DataSource({
    type: 'postgres',
    url: database.url,
    migrations: migrations.slice(0, 1),
    migrationsTableName: 'migration',
  });
  await first.initialize();
  await first.runMigrations({ transaction: 'each' });
  await first.destroy();
  const reader = new Client({ connectionString: database.url });
  await reader.connect();
  await reader.query('BEGIN; SELECT FROM pass');
  return reader;
}

const applied = () => query('SELECT name FROM migration ORDER BY id');
const names = migrations.map(({ name }) => ({ name }));

it('migrate applies every migration once when several nodes start together', async () => {
  await Promise.all([migrate(database.url), migrate(database.url), migrate(database.url)]);
  expect(await applied()).toEqual(names);
});

it('migrate reports each step of a migration: connecting, waiting for another node, checking and running', async () => {
  const other = new Client({ connectionString: database.url });
  await other.connect();
  await other.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
  const steps: string[] = [];
  let waits: () => void = () => undefined;
  const waiting = new Promise<void>((resolve) => (waits = resolve));
  const begins = (step: string) => {
    steps.push(step);
    if (step.startsWith('waits')) waits();
  };
  const migration = migrate(database.url, { begins });
  await waiting;
  await other.end();
  await migration;
  expect(steps).toEqual([
    'connects to the database',
    'waits for another node that migrates',
    'checks and runs migrations',
  ]);
});

it('a second run of the migrations changes nothing', async () => {
  await migrate(database.url);
  const before = await schema();
  await migrate(database.url);
  expect(await schema()).toEqual(before);
  expect(await applied()).toEqual(names);
});

it('undoing all migrations leaves no table behind, and running them again restores the same schema', async () => {
  await migrate(database.url);
  const before = await schema();
  const dataSource = new DataSource({
    type: 'postgres',
    url: database.url,
    migrations,
    migrationsTableName: 'migration',
  });
  await dataSource.initialize();
  for (const _ of migrations) await dataSource.undoLastMigration({ transaction: 'each' });
  await dataSource.destroy();
  expect(await query(`SELECT tablename FROM pg_tables WHERE schemaname = 'public'`)).toEqual([
    { tablename: 'migration' },
  ]);
  await migrate(database.url);
  expect(await schema()).toEqual(before);
});

it('every primary key starts with the account id, except in tables that do not belong to one account', async () => {
  await migrate(database.url);
  const keys = await query(`
    SELECT conrelid::regclass::text AS table, pg_get_constraintdef(oid) AS key FROM pg_constraint
    WHERE contype = 'p' AND connamespace = 'public'::regnamespace`);
  const others = keys.filter(({ key }) => !String(key).startsWith('PRIMARY KEY (account_id'));
  expect(others.map(({ table }) => table).sort()).toEqual([
    'account',
    'app_user',
    'google_quota',
    'incarnation',
    'incarnation_work',
    'known_address',
    'migration',
    'payment_customer',
    'payment_event',
    'payment_subscription',
    'rate_limit',
    'suspect_job',
    'user_code',
    'user_identity',
  ]);
});

it('a failed migration releases its lock and leaves no trace', async () => {
  await query('CREATE TABLE pass (taken boolean)');
  // Keep the console quiet, because TypeORM logs the failure there too.
  jest.spyOn(console, 'log').mockImplementation(() => undefined);
  await expect(migrate(database.url)).rejects.toThrow('already exists');
  await query('DROP TABLE pass');
  await migrate(database.url);
  expect(await applied()).toEqual(names);
});

it('migrate keeps its lock while it waits for a table, even if the role has a limit for idle sessions', async () => {
  jest.spyOn(console, 'log').mockImplementation(() => undefined);
  jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
  const address = new URL(database.url);
  address.searchParams.set('options', '-c idle_session_timeout=500');
  const reader = await readerAfterFirstMigration();
  const migration = migrate(address.href, { lockMs: 50, pauseMs: 10 });
  const holders = `SELECT now() - state_change > interval '1 s' AS "isOver" FROM pg_stat_activity
    JOIN pg_locks USING (pid) WHERE locktype = 'advisory' AND datname = current_database()`;
  let rows = await untilRows(holders);
  while (rows[0]?.isOver === false) {
    await pause(50);
    rows = await query(holders);
  }
  expect(rows).toEqual([{ isOver: true }]);
  await reader.end();
  await migration;
  expect(await applied()).toEqual(names);
});

it('a migration blocks the queries of a busy table only briefly, and changes the table in a later attempt', async () => {
  jest.spyOn(console, 'log').mockImplementation(() => undefined);
  jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
  const reader = await readerAfterFirstMigration();
  const migration = migrate(database.url, { lockMs: 50, pauseMs: 10 });
  const waits = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`;
  await untilRows(waits);
  // This query waits behind the migration, which soon stops waiting for the table.
  expect(await query('SELECT count(*)::int AS passes FROM pass')).toEqual([{ passes: 0 }]);
  await reader.end();
  await migration;
  expect(await applied()).toEqual(names);
});

it('a migration that Postgres ends because of a deadlock is tried again', async () => {
  jest.spyOn(console, 'log').mockImplementation(() => undefined);
  jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
  const earlier = new DataSource({
    type: 'postgres',
    url: database.url,
    migrations: migrations.slice(0, migrations.indexOf(UsageByDay1765710000000)),
    migrationsTableName: 'migration',
  });
  await earlier.initialize();
  await earlier.runMigrations({ transaction: 'each' });
  const writer = earlier.createQueryRunner();
  // Let only the migration's session detect the deadlock. Changing this setting may need a superuser.
  await writer.query(`SET deadlock_timeout = '1h'`).catch(() => undefined);
  await writer.startTransaction();
  await writer.query('LOCK TABLE apple_registration IN ROW EXCLUSIVE MODE');
  const migration = migrate(database.url, { pauseMs: 10 });
  const waits = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`;
  await untilRows(waits);
  const end = () => writer.rollbackTransaction();
  await writer.query('LOCK TABLE pass IN ROW EXCLUSIVE MODE').then(end, end);
  await writer.release();
  await earlier.destroy();
  await migration;
  expect(await applied()).toEqual(names);
});

it('migrate fails when the server is unreachable', async () => {
  await expect(migrate('postgres://nobody@127.0.0.1:1/none')).rejects.toThrow('ECONNREFUSED');
});

it('migrateJobs creates only the tables of the job queue', async () => {
  await Promise.all([migrateJobs(database.url), migrateJobs(database.url)]);
  expect(
    await query("SELECT to_regclass('graphile_worker._private_jobs') AS jobs, to_regclass('pass') AS pass"),
  ).toEqual([{ jobs: 'graphile_worker._private_jobs', pass: null }]);
});
