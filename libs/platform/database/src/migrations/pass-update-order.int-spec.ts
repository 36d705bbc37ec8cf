import { emptyDatabase, type TestDatabase } from '@passwright/testing';
import { DataSource, type QueryRunner } from 'typeorm';
import { PassUpdateOrder1765000000000 } from './1765000000000-pass-update-order.js';
import { migrations } from './index.js';

/** A database with the schema before the migration under test. */
let database: TestDatabase;
let before: DataSource;
let migrating: QueryRunner;

beforeEach(async () => {
  database = await emptyDatabase();
  const first = migrations.indexOf(PassUpdateOrder1765000000000);
  before = new DataSource({ type: 'postgres', url: database.url, migrations: migrations.slice(0, first) });
  await before.initialize();
  await before.runMigrations({ transaction: 'each' });
  await before.query(`INSERT INTO account (id, name, created_at) VALUES ('a', 'A', now())`);
  await before.query(
    `INSERT INTO template SELECT 'a', 't', 'offer', '', '', '', '', NULL, '{}', false, '[]', '[]', '[]', NULL, NULL,
       NULL, NULL, 1, now(), now()`,
  );
  await issue('a', 'b', 'c', 'd');
  migrating = before.createQueryRunner();
});
afterEach(async () => {
  await migrating.release();
  await before.destroy();
  await database.drop();
});

const insertPass = `
  INSERT INTO pass (account_id, template_id, template_type, id, serial_number, code, fields, back_fields, locations, metadata,
    version, created_at, updated_at)
  SELECT 'a', 't', 'offer', id, id, id, '[]', '[]', '[]', '{}', 1, now(), now() FROM unnest($1::text[]) AS new(id)`;
const issue = (...ids: string[]) => before.query(insertPass, [ids]);
const update = (id: string) => `UPDATE pass SET updated_at = updated_at + interval '1 hour' WHERE id = '${id}'`;
const migrate = () => new PassUpdateOrder1765000000000().up(migrating);

/** Lists passes without a matching entry in the update order, and entries without a matching pass. */
const differences = () =>
  before.query(`
    SELECT p.id, o.pass_id FROM pass p FULL JOIN pass_update_order o
      ON (o.account_id, o.template_id, o.pass_id, o.updated_at) = (p.account_id, p.template_id, p.id, p.updated_at)
    WHERE p.id IS NULL OR o.pass_id IS NULL`);
const places = async () => (await before.query('SELECT count(*)::int AS places FROM pass_update_order'))[0].places;

it('the migration gives each pass a position in the update order, and each later change updates that position', async () => {
  await migrate();
  expect(await differences()).toEqual([]);
  await issue('e', 'f');
  for (const id of ['a', 'e']) await before.query(update(id));
  await before.query(`UPDATE pass SET version = 2 WHERE id = 'b'`);
  await before.query(`DELETE FROM pass WHERE id IN ('c', 'f')`);
  expect(await differences()).toEqual([]);
  expect(await places()).toBe(4);
});

it('the migration gives the right position to passes that are issued, updated or deleted during the copy', async () => {
  const writer = before.createQueryRunner();
  const run = migrating.query.bind(migrating);
  const waits = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE 'CREATE UNIQUE INDEX CONC%'
    AND datname = current_database()`;
  jest.spyOn(migrating, 'query').mockImplementation(async (sql, values?: unknown) => {
    if (sql.includes('WITH page') && !writer.isTransactionActive) {
      await writer.startTransaction();
      await writer.query(update('a'));
      await writer.query(`DELETE FROM pass WHERE id = 'b'`);
      await writer.query(insertPass, [['e']]);
    }
    const result = run(sql, values as unknown[]);
    if (sql.startsWith('CREATE UNIQUE INDEX CONCURRENTLY')) {
      while ((await before.query(waits)).length === 0);
      await writer.commitTransaction();
    }
    return result;
  });
  await migrate();
  await writer.release();
  expect(await differences()).toEqual([]);
  expect(await places()).toBe(4);
});

it('the migration resumes after an interruption before each of its steps', async () => {
  const run = migrating.query.bind(migrating);
  const steps = ['WITH page', 'CREATE UNIQUE INDEX', 'ALTER INDEX', 'DELETE FROM pass_update_order o', 'ANALYZE'];
  for (const [n, step] of steps.entries()) {
    const spy = jest.spyOn(migrating, 'query').mockImplementation(async (sql, values?: unknown) => {
      if (sql.includes(step)) throw new Error(`interrupted before ${step}`);
      return run(sql, values as unknown[]);
    });
    await expect(migrate()).rejects.toThrow(`interrupted before ${step}`);
    await before.query(update('a'));
    await issue(`new ${n}`);
    spy.mockRestore();
  }
  await migrate();
  expect(await differences()).toEqual([]);
  const indexes = await before.query(
    `SELECT i.indexrelid::regclass::text AS name FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indexrelid
     WHERE i.indrelid = 'pass'::regclass AND (a.attname IN ('updated_at', 'changed_in') OR NOT i.indisvalid)`,
  );
  expect(indexes).toEqual([]);
});

it('undoing the migration puts all passes back into the index', async () => {
  await migrate();
  await new PassUpdateOrder1765000000000().down(migrating);
  await before.query(update('a'));
  expect(await before.query(`SELECT indexdef FROM pg_indexes WHERE indexname = 'pass_serial_idx'`)).toEqual([
    { indexdef: expect.stringContaining('INCLUDE (changed_in)') },
  ]);
});
