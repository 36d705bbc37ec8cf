import { emptyDatabase, type TestDatabase } from '@passwright/testing';
import { DataSource } from 'typeorm';
import { migrations } from '../migrations/index.js';

/** A database with the schema before its tables were partitioned. */
let database: TestDatabase;
let before: DataSource;
const first = migrations.findIndex(({ name }) => name.startsWith('EventPartitions'));

beforeEach(async () => {
  database = await emptyDatabase();
  before = await connect(migrations.slice(0, first));
  await before.query('CREATE SCHEMA graphile_worker');
  await before.query(
    `CREATE FUNCTION graphile_worker.add_job(task text, payload json) RETURNS void LANGUAGE sql AS ''`,
  );
  await before.runMigrations({ transaction: 'each' });
});
afterEach(async () => {
  await before.destroy();
  await database.drop();
});

function connect(history: typeof migrations): Promise<DataSource> {
  const options = { type: 'postgres', url: database.url, migrationsTableName: 'migration' } as const;
  return new DataSource({ ...options, migrations: history }).initialize();
}

async function migrateOn(): Promise<void> {
  const after = await connect(migrations);
  await after.runMigrations({ transaction: 'each' }).finally(() => after.destroy());
}

const rows = <Row>(sql: string) => before.query<Row[]>(sql);
const issue = (id: string) =>
  rows(
    `INSERT INTO webhook_event (account_id, id, type, occurred_at, data) VALUES ('a', event_id(), '${id}', now(), '{}')`,
  );
const act = (id: string, at = 'now()') =>
  rows(`INSERT INTO audit_event (account_id, id, at, actor_kind, action, target_kind)
    VALUES ('a', '${id}', ${at}, 'system', 'done', 'thing')`);

async function accountWithWebhook(): Promise<void> {
  await rows(`INSERT INTO account (id, name, created_at) VALUES ('a', 'A', now())`);
  await rows(`INSERT INTO webhook (account_id, id, url, secret, created_at, updated_at)
    VALUES ('a', 'w', 'https://crm.example', '', now(), now())`);
}

it('partitioning keeps every row, the order of the events, and the link between events and deliveries', async () => {
  await accountWithWebhook();
  for (const name of ['one', 'two', 'three']) await issue(name);
  await act('early', `'2020-01-01'`);
  await act('late');
  await migrateOn();
  await issue('four');
  await act('last');
  expect(await rows(`SELECT type FROM webhook_event ORDER BY recorded_in, position`)).toEqual(
    ['one', 'two', 'three', 'four'].map((type) => ({ type })),
  );
  expect(
    await rows('SELECT count(*)::int AS rows, count(DISTINCT position)::int AS places FROM webhook_event'),
  ).toEqual([{ rows: 4, places: 4 }]);
  expect(
    await rows(`SELECT count(*)::int AS rows FROM webhook_delivery d JOIN webhook_event e
      ON e.account_id = d.account_id AND e.id = d.event_id WHERE d.webhook_id = 'w'`),
  ).toEqual([{ rows: 4 }]);
  expect(await rows('SELECT id FROM audit_event ORDER BY at')).toEqual(['early', 'late', 'last'].map((id) => ({ id })));
  const [places] = await rows<{ defaults: number }>(`
    SELECT (SELECT count(*) FROM webhook_event_default) + (SELECT count(*) FROM webhook_delivery_default)
      + (SELECT count(*) FROM audit_event_default) AS defaults`);
  expect(Number(places?.defaults)).toBe(0);
});

it('partitioning puts rows that were written while a clock was ahead into the first partition', async () => {
  await accountWithWebhook();
  await act('ahead', `now() + interval '100 days'`);
  await migrateOn();
  expect(await rows('SELECT id FROM audit_event')).toEqual([{ id: 'ahead' }]);
});

it('partitioning resumes after an interruption between its steps', async () => {
  await accountWithWebhook();
  await act('kept');
  const blocker = before.createQueryRunner();
  await blocker.connect();
  await blocker.startTransaction();
  await blocker.query('SELECT FROM audit_event');
  const after = await connect(migrations);
  // Make the exchange of the tables fail while it waits for a lock that another transaction holds.
  jest.spyOn(console, 'log').mockImplementation(() => undefined);
  await after.query(`ALTER DATABASE ${after.driver.database} SET lock_timeout = '300ms'`);
  await after.destroy();
  await expect(migrateOn()).rejects.toThrow('lock timeout');
  await blocker.rollbackTransaction();
  await blocker.release();
  await migrateOn();
  expect(await rows('SELECT id FROM audit_event')).toEqual([{ id: 'kept' }]);
});

it('a failed exchange of the tables leaves no time constraint on the old table', async () => {
  await accountWithWebhook();
  await rows('CREATE TABLE audit_event_default (taken boolean)');
  jest.spyOn(console, 'log').mockImplementation(() => undefined);
  await expect(migrateOn()).rejects.toThrow('already exists');
  await act('later', `now() + interval '1 year'`);
  await rows('DROP TABLE audit_event_default');
  await migrateOn();
  expect(await rows('SELECT id FROM audit_event')).toEqual([{ id: 'later' }]);
});

it('the migration blocks no writer while it checks that all rows belong to the first partition', async () => {
  await accountWithWebhook();
  const reader = before.createQueryRunner();
  await reader.startTransaction('REPEATABLE READ');
  // The concurrent index build waits for this old snapshot. Meanwhile, the table must accept rows.
  await reader.query('SELECT FROM account');
  const migration = migrateOn();
  const isWaiting = `SELECT count(*)::int AS waiting FROM pg_stat_activity
    WHERE datname = current_database() AND query LIKE 'CREATE UNIQUE INDEX CONCURRENTLY%' AND wait_event_type = 'Lock'`;
  while ((await rows<{ waiting: number }>(isWaiting))[0]?.waiting === 0);
  await act('meanwhile');
  await reader.rollbackTransaction();
  await reader.release();
  await migration;
  expect(await rows('SELECT id FROM audit_event')).toEqual([{ id: 'meanwhile' }]);
});
