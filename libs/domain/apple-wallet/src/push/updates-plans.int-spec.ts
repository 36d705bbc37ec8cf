import { Database } from '@passwright/database';
import { dueSql, expireSql, lockManySql, updateContentsSql } from '@passwright/passes/testing';
import { planOf, type PlanStep } from '@passwright/testing';
import { registeredSql } from '../fanout/registered-passes.repository.js';
import { markedAtOnce, markPassesSql, markSql, supersedeSql } from '../fanout/push-fanout.repository.js';
import { accountsSql, lookSql, passOverSql, releaseSql, takeSql } from './push-queue-statements.js';
import { lockSql, recordSql } from './push-records.repository.js';
import { UpdatesWorld } from '../updates.fixtures.js';

/* The tables contain several accounts, but few due devices, so no query needs to read a whole table. */
/** Skips a test of query plans if PARTITIONS is set, because Postgres scans small partitions completely. */
const itWithoutPartitions = process.env.PARTITIONS ? it.skip : it;

let world: UpdatesWorld;
let accountId: string;
const now = new Date('2026-11-20T10:00:00.000Z');
const tables = ['apple_push_page', 'pass', 'template', 'apple_device', 'apple_registration', 'deleted_pass'];

beforeAll(async () => {
  world = await UpdatesWorld.start();
  for (let i = 0; i < 5; i++) {
    accountId = await world.account();
    await world.db.query(
      `INSERT INTO pass (account_id, template_id, template_type, id, serial_number, code, fields, back_fields, locations,
         metadata, version, created_at, updated_at, expires_at)
       SELECT $1, 't', 'offer', 'p' || n, 'plan-' || n || $1, 'c' || n, '[]', '[]', '[]', '{}', 1, $2, $2,
         CASE WHEN n % 10 = 0 THEN $2::timestamptz + n * interval '1 minute' END
       FROM generate_series(1, 4000) n`,
      [accountId, now],
    );
    await world.db.query(
      `INSERT INTO apple_device (account_id, id, pass_type_identifier, device_library_identifier, push_token, registered_at)
       SELECT $1, 'd' || n, 'p', $1 || n, 't' || n, $2 FROM generate_series(1, 4000) n`,
      [accountId, now],
    );
    await world.db.query(
      `INSERT INTO apple_registration (account_id, device_id, serial_number, template_id, registered_at, seen_at)
       SELECT $1, 'd' || n, 'plan-' || n || $1, 't', $2, $2 FROM generate_series(1, 4000) n`,
      [accountId, now],
    );
    await world.db.query(
      `INSERT INTO apple_push_page (account_id, id, due_at, since, claim, scope, device_ids, size)
       SELECT $1, nextval('apple_push_number'), $2::timestamptz + n * interval '1 minute', n,
         CASE WHEN n % 100 = 0 THEN n END, 'pass:' || n, ARRAY['d' || n], 1
       FROM generate_series(1, 2000) n`,
      [accountId, now],
    );
  }
  // Rebuild the indexes, because deleted rows of other specs make them look expensive to the planner.
  for (const table of tables) await world.db.query(`REINDEX TABLE ${table}`);
  await world.db.query(`ANALYZE ${tables.join(', ')}`);
});
afterAll(() => world.stop());

const ids = (count: number) => Array.from({ length: count }, (_, n) => `d${n}`);
const serials = (count: number) => ids(count).map((_, n) => `plan-${n}${accountId}`);
const repeated = <T>(value: T, count: number) => Array.from({ length: count }, () => value);
const pushed = (count: number) => [ids(count), ids(count), ids(count)];
const settled = [7, now, 200, null, 1, 0, 0, now, 2, 1, 20, now, now];
const passedOver = (count: number) => [ids(count), repeated(now, count), ...repeated(repeated(1, count), 3)];

itWithoutPartitions.each([
  [
    'the claim',
    () => takeSql,
    () => [accountId, now, 500, now, 1],
    ['apple_push_page_due_idx', 'apple_push_page_pkey'],
  ],
  [
    'the check of claimed devices',
    () => lookSql,
    () => [accountId, 700, now, now, 'p'],
    ['apple_push_page_claim_idx', 'apple_device_pkey', 'apple_registration_pkey', 'pass_serial_idx'],
  ],
  [
    'the record of devices passed over',
    () => passOverSql,
    () => [accountId, ...passedOver(500)],
    ['apple_device_pkey'],
  ],
  ['the release of claims', () => releaseSql, () => [accountId, [700], [now], now], ['apple_push_page_claim_idx']],
  ['the lock of devices', () => lockSql, () => [accountId, ids(500)], ['apple_device_pkey']],
  ['the record of pushes', () => recordSql, () => [accountId, ...pushed(500), ...settled], ['apple_device_pkey']],
  [
    'the marking of devices of a pass',
    () => markSql({ serialNumber: '' }),
    () => [accountId, `plan-7${accountId}`, '', 100, now, ''],
    ['apple_registration_serial_idx'],
  ],
  [
    'the marking of devices of a template',
    () => markSql({ templateId: '' }),
    () => [accountId, 't', 'd2', markedAtOnce, now, ''],
    ['apple_registration_template_idx'],
  ],
  [
    'the deletion of pages that wait for an earlier change',
    () => supersedeSql,
    () => [accountId, 'pass:7', now],
    ['apple_push_page_scope_idx'],
  ],
  [
    'the marking of devices of several passes',
    () => markPassesSql,
    () => [accountId, serials(50), markedAtOnce, now],
    ['apple_push_page_scope_idx', 'apple_registration_serial_idx'],
  ],
  ['the search for accounts', () => accountsSql, () => [now, '', 500], ['apple_push_page_due_idx']],
  ['the search for expiries', () => dueSql, () => [now, 50], ['pass_expiring_idx']],
  ['the write of expiries', () => expireSql, () => [repeated(accountId, 50), serials(50), now], ['pass_serial_idx']],
  [
    'the lock of managed passes',
    () => lockManySql,
    () => [accountId, repeated('t', 50), ids(50).map((_, n) => `p${n}`)],
    // The planner uses the primary key or another index that begins with the template.
    [expect.stringMatching(/^pass_(pkey|code_key|created_idx)$/)],
  ],
  [
    'the write of managed passes',
    () => updateContentsSql,
    () => [JSON.stringify(serials(50).map((serial) => ({ account_id: accountId, serial_number: serial })))],
    ['pass_serial_idx'],
  ],
  [
    'the search for devices of expired passes',
    () => registeredSql,
    () => [repeated(accountId, 50), serials(50)],
    ['apple_registration_serial_idx'],
  ],
])('%s reads large tables only through indexes', async (_, sql, values, indexes) => {
  const steps = await planOf(world.db, sql(), values());
  const scanned = steps.filter((step) => step['Node Type'] === 'Seq Scan').map((step) => step['Relation Name']);
  // Ignore these tables, which have only one row per account or per deleted pass in this test.
  expect(scanned.filter((table) => !['template', 'deleted_pass'].includes(table ?? ''))).toEqual([]);
  expect(steps.map((step) => step['Index Name'])).toEqual(expect.arrayContaining(indexes));
});

it('the search for expiries sorts a limited number of due passes, although it returns only a few of them', async () => {
  const types = (await planOf(world.db, dueSql, [now, 50])).map((node) => node['Node Type']);
  const sorted = types.slice(types.indexOf('WindowAgg'));
  expect(sorted.filter((type) => ['WindowAgg', 'Limit'].includes(type))).toEqual(['WindowAgg', 'Limit']);
});

itWithoutPartitions(
  'the service finds each expired pass by its key, even without statistics, as after a restore',
  async () => {
    const restored = new Error('done');
    const steps: PlanStep[] = [];
    const explaining = world.get(Database).transaction(async (tx) => {
      // Does the same as pg_clear_relation_stats(), which only Postgres 18 has.
      await tx.query(
        `SET LOCAL allow_system_table_mods = on;
       DELETE FROM pg_statistic WHERE starelid IN ('pass'::regclass, 'template'::regclass);
       UPDATE pg_class SET relpages = 0, reltuples = -1 WHERE oid IN ('pass'::regclass, 'template'::regclass)`,
      );
      const values = [repeated(accountId, 50), serials(50), now];
      steps.push(...(await planOf(tx, expireSql, values)));
      throw restored;
    });
    await expect(explaining).rejects.toBe(restored);
    const indexes = steps.map((step) => step['Index Name']).filter((name) => name?.startsWith('pass_'));
    expect(indexes).toEqual(['pass_serial_idx', 'pass_serial_idx']);
  },
);
