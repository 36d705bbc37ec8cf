import { emptyDatabase, type TestDatabase } from '@passwright/testing';
import { DataSource } from 'typeorm';
import { CircuitBreakers1765110000000 } from './1765110000000-circuit-breakers.js';
import { migrations } from './index.js';

/** A database with the schema before the migration under test. */
let database: TestDatabase;
let dataSource: DataSource;

beforeEach(async () => {
  database = await emptyDatabase();
  const first = migrations.indexOf(CircuitBreakers1765110000000);
  dataSource = new DataSource({ type: 'postgres', url: database.url, migrations: migrations.slice(0, first) });
  await dataSource.initialize();
  await dataSource.runMigrations({ transaction: 'each' });
  await open('apple_push_halt', 'acc_1', 'a1', 0);
  await open('apple_push_halt', 'acc_2', 'none', 0);
  await open('google_halt', '', 'g1', 0);
});
afterEach(async () => {
  await dataSource.destroy();
  await database.drop();
});

const begin = Date.parse('2026-11-20T10:00:00.000Z');
const at = (minutes: number) => new Date(begin + minutes * 60_000);

async function move(direction: 'up' | 'down'): Promise<void> {
  const runner = dataSource.createQueryRunner();
  await runner.startTransaction();
  await new CircuitBreakers1765110000000()[direction](runner);
  await runner.commitTransaction();
  await runner.release();
}

const circuits = (table: string, more = '') =>
  dataSource.query(
    `SELECT ${more} account_id AS account, fingerprint, since, retry_at AS "retryAt" FROM ${table} ORDER BY fingerprint`,
  );

/* The following functions run the exact statements of the previous version. */

async function open(table: string, accountId: string, fingerprint: string, minutes: number): Promise<boolean> {
  const [{ isNew }] = await dataSource.query(
    `INSERT INTO ${table} AS c (account_id, fingerprint, reason, since, retry_at)
     VALUES ($1, $2, $3, $4::timestamptz, $5::timestamptz)
     ON CONFLICT (account_id, fingerprint) DO UPDATE SET
       reason = excluded.reason,
       retry_at = LEAST($6::timestamptz, GREATEST($5::timestamptz, $4::timestamptz + ($4::timestamptz - c.since)))
     RETURNING xmax = 0 AS "isNew"`,
    [accountId, fingerprint, 'refused', at(minutes), at(minutes + 15), at(minutes + 60)],
  );
  return isNew;
}

const find = (table: string, accountId: string, fingerprint: string) =>
  dataSource.query(
    `SELECT account_id AS "accountId", fingerprint, reason, since, retry_at AS "retryAt" FROM ${table}
     WHERE account_id IN ('', $1) AND fingerprint = $2 ORDER BY account_id LIMIT 1`,
    [accountId, fingerprint],
  );

const changed = async (sql: string, values: unknown[]): Promise<number> =>
  (await dataSource.query(`WITH changed AS (${sql}) SELECT FROM changed`, values)).length;

const takeTrial = (table: string, accountId: string, fingerprint: string, minutes: number) =>
  changed(
    `UPDATE ${table} SET retry_at = $4
     WHERE account_id = $1 AND fingerprint = $2 AND retry_at <= $3 RETURNING account_id`,
    [accountId, fingerprint, at(minutes), at(minutes + 1)],
  );

it('the migration moves the open circuits into one table, and back when it is undone', async () => {
  const [apple, google] = [await circuits('apple_push_halt'), await circuits('google_halt')];
  await move('up');
  expect(await circuits('circuit_breaker', 'receiver,')).toEqual([
    { receiver: 'apple', ...apple[0] },
    { receiver: 'google', ...google[0] },
    { receiver: 'apple', ...apple[1] },
  ]);
  await move('down');
  expect([await circuits('apple_push_halt'), await circuits('google_halt')]).toEqual([apple, google]);
  expect(await open('google_halt', '', 'g1', 20)).toBe(false);
});

describe('nodes of the previous version', () => {
  beforeEach(() => move('up'));

  it('a node of the previous version opens, extends and finds circuits, which are stored with their receiver', async () => {
    expect(await open('apple_push_halt', 'acc_1', 'a1', 20)).toBe(false);
    expect(await open('apple_push_halt', '', 'a2', 20)).toBe(true);
    expect(await open('google_halt', '', 'g2', 20)).toBe(true);
    expect(await find('apple_push_halt', 'acc_1', 'a1')).toEqual([
      { accountId: 'acc_1', fingerprint: 'a1', reason: 'refused', since: at(0), retryAt: at(40) },
    ]);
    expect(await find('apple_push_halt', 'acc_3', 'a2')).toHaveLength(1);
    expect(await find('apple_push_halt', '', 'g2')).toEqual([]);
    expect(await dataSource.query('SELECT receiver, fingerprint FROM circuit_breaker ORDER BY fingerprint')).toEqual([
      { receiver: 'apple', fingerprint: 'a1' },
      { receiver: 'apple', fingerprint: 'a2' },
      { receiver: 'google', fingerprint: 'g1' },
      { receiver: 'google', fingerprint: 'g2' },
      { receiver: 'apple', fingerprint: 'none' },
    ]);
  });

  it('concurrent openings of a circuit by nodes of the previous version count as one new circuit', async () => {
    const opened = await Promise.all([1, 2, 3, 4].map(() => open('google_halt', '', 'g3', 0)));
    expect(opened.filter(Boolean)).toHaveLength(1);
  });

  it("a node of the previous version can run a circuit's trial, return it, close circuits, and delete old circuits", async () => {
    const taken = await Promise.all([1, 2, 3].map(() => takeTrial('google_halt', '', 'g1', 15)));
    expect(taken.sort()).toEqual([0, 0, 1]);
    const giveBack = `UPDATE google_halt SET retry_at = $3 WHERE account_id = $1 AND fingerprint = $2 RETURNING account_id`;
    expect(await changed(giveBack, ['', 'g1', at(15)])).toBe(1);
    expect(await takeTrial('google_halt', '', 'g1', 15)).toBe(1);
    const close = `DELETE FROM google_halt WHERE account_id IN ('', $1) AND fingerprint = $2 RETURNING account_id`;
    expect(await changed(close, ['', 'g1'])).toBe(1);
    const forget = `DELETE FROM apple_push_halt WHERE retry_at < $1 RETURNING account_id`;
    expect(await changed(forget, [at(16)])).toBe(2);
    expect(await circuits('circuit_breaker')).toEqual([]);
  });

  it('a node of the previous version counts circuits and deletes those of an account', async () => {
    expect(await dataSource.query('SELECT count(*)::int AS count FROM apple_push_halt')).toEqual([{ count: 2 }]);
    const deleted = await dataSource.query(
      `WITH page AS MATERIALIZED (
         SELECT fingerprint FROM apple_push_halt WHERE account_id = $1 ORDER BY account_id, fingerprint LIMIT $2
       ), deleted AS (
         DELETE FROM apple_push_halt AS gone USING page WHERE gone.account_id = $1 AND gone.fingerprint = page.fingerprint
       )
       SELECT * FROM page`,
      ['acc_1', 2000],
    );
    expect(deleted).toEqual([{ fingerprint: 'a1' }]);
    expect(await find('circuit_breaker', 'acc_1', 'a1')).toEqual([]);
  });

  it('a node of the previous version makes trials due that a wrong clock has postponed', async () => {
    await dataSource.query(
      `WITH page AS MATERIALIZED (
         SELECT account_id, fingerprint FROM google_halt WHERE retry_at > $2 LIMIT 2000 FOR NO KEY UPDATE SKIP LOCKED
       )
       UPDATE google_halt AS late SET retry_at = $1 FROM page
       WHERE late.account_id = page.account_id AND late.fingerprint = page.fingerprint`,
      [at(1), at(2)],
    );
    expect((await find('circuit_breaker', '', 'g1'))[0].retryAt).toEqual(at(1));
  });
});
