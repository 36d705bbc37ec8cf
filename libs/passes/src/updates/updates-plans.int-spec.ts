import { markedAtOnce, markSql } from './device-marking.repository.js';
import { dueSql, expireSql, installedSql } from './pass-expiry.repository.js';
import { accountsSql, lockSql, lookSql, settleSql } from './push-queue.repository.js';
import { UpdatesWorld } from './updates.fixtures.js';

/*
 * On tables in which an account is one of several and few of its devices are due: no statement may read more than it
 * writes.
 */
let world: UpdatesWorld;
let accountId: string;
const now = new Date('2026-11-20T10:00:00.000Z');

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
      `INSERT INTO apple_device (account_id, id, pass_type_identifier, device_library_identifier, push_token, registered_at, due_at)
       SELECT $1, 'd' || n, 'p', $1 || n, 't' || n, $2, CASE WHEN n % 20 = 0 THEN $2::timestamptz END
       FROM generate_series(1, 4000) n`,
      [accountId, now],
    );
    await world.db.query(
      `INSERT INTO apple_registration (account_id, device_id, serial_number, template_id, registered_at, seen_at)
       SELECT $1, 'd' || n, 'plan-' || n || $1, 't', $2, $2 FROM generate_series(1, 4000) n`,
      [accountId, now],
    );
  }
  await world.db.query('ANALYZE pass, template, apple_device, apple_registration, deleted_pass');
});
afterAll(() => world.stop());

interface Node {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly Plans?: readonly Node[];
}

const nodesOf = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];

async function plan(sql: string, values: unknown[]): Promise<Node[]> {
  const rows = await world.db.query<{ 'QUERY PLAN': [{ Plan: Node }] }[]>(`EXPLAIN (FORMAT JSON) ${sql}`, values);
  return nodesOf(rows[0]!['QUERY PLAN'][0].Plan);
}

const ids = (count: number) => Array.from({ length: count }, (_, n) => `d${n}`);
const serials = (count: number) => ids(count).map((_, n) => `plan-${n}${accountId}`);
const repeated = <T>(value: T, count: number) => Array.from({ length: count }, () => value);
/** Device, token, four times, what the push service says, four numbers. */
const settled = (count: number) => [
  ids(count),
  ids(count),
  ...repeated(repeated(now, count), 4),
  ids(count),
  repeated(200, count),
  ids(count),
  ...repeated(repeated(1, count), 4),
];

it.each([
  ['the claim', () => lockSql, () => [accountId, now, 50], ['apple_device_due_idx']],
  [
    'the look at what was claimed',
    () => lookSql,
    () => [accountId, ids(500), now, now, now, 2, 'p'],
    ['apple_device_pkey', 'apple_registration_pkey', 'pass_serial_idx'],
  ],
  ['the record of pushes', () => settleSql, () => [accountId, ...settled(500)], ['apple_device_pkey']],
  [
    'the mark of a pass',
    () => markSql({ serialNumber: '' }),
    () => [accountId, `plan-7${accountId}`, '', now, 100],
    ['apple_registration_serial_idx', 'apple_device_pkey'],
  ],
  [
    'the mark of a template',
    () => markSql({ templateId: '' }),
    () => [accountId, 't', 'd2', now, markedAtOnce],
    ['apple_registration_template_idx', 'apple_device_pkey'],
  ],
  ['the search for accounts', () => accountsSql, () => [now, '', 500], ['apple_device_due_idx']],
  ['the search for expiries', () => dueSql, () => [now, 50], ['pass_expiring_idx']],
  [
    'the write of expiries',
    () => expireSql,
    () => [repeated(accountId, 50), repeated('t', 50), ids(50), now],
    // By the primary key, or, where few are due as here, by the index of those.
    [],
  ],
  [
    'the search for devices of what expired',
    () => installedSql,
    () => [repeated(accountId, 50), serials(50)],
    ['apple_registration_serial_idx'],
  ],
])('%s reads large tables from their indexes alone', async (_, sql, values, indexes) => {
  const nodes = await plan(sql(), values());
  const scanned = nodes.filter((node) => node['Node Type'] === 'Seq Scan').map((node) => node['Relation Name']);
  // One row per account and per deleted pass here.
  expect(scanned.filter((table) => !['template', 'deleted_pass'].includes(table ?? ''))).toEqual([]);
  expect(nodes.map((node) => node['Index Name'])).toEqual(expect.arrayContaining(indexes));
});

it('finds what is due in the order of the index, without sorting', async () => {
  const types = (await plan(lockSql, [accountId, now, 50])).map((node) => node['Node Type']);
  expect(types).not.toContain('Sort');
});
