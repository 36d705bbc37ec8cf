import { analysedPlan, mostRowsRead, type PlanStep, vacuumed } from '@passwright/testing';
import { start as now, TimeWorld } from '../reminders/reminders.fixtures.js';
import { MembersQuery } from './member-list.dto.js';
import { frequentSql, MemberListsRepository } from './member-lists.repository.js';

/*
 * Tests an account with 100,000 members. No page of its lists may get slower with the number of members. 1 in 1000 is
 * suspended, 1 in 100 is stored as expired, and 1 in 10,000 has expired but is not stored as expired. The oldest 6000
 * have the word "founder".
 */
let world: TimeWorld;
let accountId: string;

const rows = `
  INSERT INTO member (account_id, id, template_id, pass_id, email, name, status, data, expires_at, reminders_sent,
    reminded_until, due_at, version, created_at, updated_at, search)
  SELECT $1, n, 'club', 'p' || n, 'Member' || n || '@example.com', 'Member ' || n,
    CASE WHEN n % 1000 = 7 THEN 'suspended' WHEN n % 100 = 50 THEN 'expired' WHEN n % 50 = 3 THEN 'pending' ELSE 'active' END,
    '{}',
    CASE WHEN n % 10000 = 9 OR n % 100 = 50 THEN $2::timestamptz - interval '1 minute'
      WHEN n % 3 > 0 THEN $2::timestamptz + n * interval '5 minutes' END,
    '{}', $2, NULL, 1, $2, $2, array_to_tsvector(ARRAY[$1 || '/member', $1 || '/member' || n, $1 || '/' || n, $1 || '/example', $1 || '/com'] ||
      CASE WHEN n <= 6000 THEN $1 || '/founder' ELSE $1 || '/later' END)
  FROM generate_series(1, $3::int) n`;

beforeAll(async () => {
  world = await TimeWorld.start();
  for (const count of [1000, 100_000]) {
    accountId = await world.accountInClear();
    await world.db.query(rows, [accountId, now, count]);
  }
  await vacuumed(world.db, 'member');
}, 120_000);
afterAll(() => world.stop());

const lists = () => world.get(MemberListsRepository);
const aQuery = (filters: object) => Object.assign(new MembersQuery(), filters);

async function planOf(filters: object): Promise<PlanStep[]> {
  const query = aQuery(filters);
  const isFrequent = await lists().isFrequent(accountId, query);
  return analysedPlan(world.db, ...lists().select(accountId, query, now, isFrequent).getQueryAndParameters());
}

const inDays = (days: number) => new Date(now.getTime() + days * 86_400_000).toISOString();

it.each([
  ['the newest members', {}, ['member_pkey'], 21],
  ['active members', { status: 'active' }, [], 21],
  ['suspended members', { status: 'suspended' }, ['member_status_idx'], 21],
  // The planner may use either of two indexes for expired members. The test only limits how much it reads.
  ['expired members, stored as expired or not', { status: 'expired' }, ['member_status_idx'], 21],
  ['cancelled members, although there are none', { status: 'cancelled' }, ['member_status_idx'], 0],
  ['the member with an address', { email: 'MEMBER777@example.com' }, ['member_email_key'], 1],
  ['memberships that end before a time', { expiresBefore: inDays(30) }, ['member_expires_idx'], 21],
  ['memberships that end after a time', { expiresAfter: inDays(30) }, ['member_expires_idx'], 21],
  [
    'active memberships that end between two times',
    { expiresAfter: inDays(1), expiresBefore: inDays(9), status: 'active' },
    ['member_status_expires_idx'],
    21,
  ],
  [
    'suspended memberships that end after a time',
    { expiresAfter: inDays(1), status: 'suspended' },
    ['member_status_expires_idx'],
    21,
  ],
  ['members with a word that all have', { q: 'example com' }, ['member_pkey'], 21],
  [
    'memberships that end before a time, of members with a word that all have',
    { q: 'example', expiresBefore: inDays(30) },
    ['member_expires_idx'],
    21,
  ],
  [
    'the member with an address and a word that all have',
    { q: 'com', email: 'member777@example.com' },
    ['member_email_key'],
    1,
  ],
  ['the member with a name', { q: 'member 77777' }, ['member_search_idx'], 1],
  ['members whose names begin with a text', { q: 'MEMBER7777' }, ['member_search_idx'], 11],
])('the service uses an index for every page of %s, and reads few extra rows', async (_, filters, indexes, count) => {
  const first = await lists().list(accountId, aQuery(filters), now);
  expect(first.data).toHaveLength(Math.min(count, 20));
  for (const cursor of [undefined, first.nextCursor ?? undefined]) {
    const steps = await planOf({ ...filters, cursor });
    expect(steps.map((step) => step['Index Name'])).toEqual(expect.arrayContaining(indexes));
    expect(steps.map((step) => step['Node Type'])).not.toContain('Seq Scan');
    // The planner reads 1 % of all members for `expired` if its sample of the table was unlucky.
    expect(mostRowsRead(steps)).toBeLessThan(aQuery(filters).status === 'expired' ? 2000 : 100);
  }
});

it.each([
  ['in list order', {}, 20],
  ['that have a status', { status: 'active' }, 20],
  ['that end after a time at which no member with the word ends', { expiresAfter: inDays(100) }, 0],
])('a search for a word that only the oldest 6000 members have reads few members %s', async (_, filters, count) => {
  const select = jest.spyOn(lists(), 'select');
  const page = await lists().list(accountId, aQuery({ q: 'founder', ...filters }), now);
  const selects = select.mock.results.map(({ value }) => value as ReturnType<MemberListsRepository['select']>);
  select.mockRestore();
  expect(page.data).toHaveLength(count);
  for (const one of selects) {
    expect(mostRowsRead(await analysedPlan(world.db, ...one.getQueryAndParameters()))).toBeLessThan(12_000);
  }
});

it('every page of the expired members in the order of their expiry reads few members and lists each member once', async () => {
  const ids: number[] = [];
  let cursor: string | undefined;
  do {
    const filters = { status: 'expired' as const, expiresAfter: inDays(-1), limit: 100, cursor };
    const page = await lists().list(accountId, aQuery(filters), now);
    expect(mostRowsRead(await planOf(filters))).toBeLessThan(2000);
    ids.push(...page.data.map(({ member }) => member.id));
    cursor = page.nextCursor ?? undefined;
  } while (cursor);
  expect(ids).toHaveLength(1000 + 10);
  expect(new Set(ids).size).toBe(1000 + 10);
  expect((await lists().list(accountId, aQuery({ status: 'expired', expiresAfter: inDays(1) }), now)).data).toEqual([]);
  expect(mostRowsRead(await planOf({ status: 'expired', expiresAfter: inDays(1) }))).toBeLessThan(100);
});

it('the service detects a frequent word without reading all members who have that word', async () => {
  const steps = await analysedPlan(world.db, frequentSql, [accountId, `'${accountId}/com':*`]);
  const read = steps.filter((step) => step['Node Type'] !== 'Bitmap Index Scan').map((step) => step['Actual Rows']);
  expect(Math.max(...read)).toBe(5001);
  const isFrequent = (q: string) => lists().isFrequent(accountId, aQuery({ q }));
  expect(await Promise.all(['com', 'member1', 'member12'].map(isFrequent))).toEqual([true, true, false]);
});

it('a search finds the same members whether its word is frequent or not', async () => {
  const ids = async (isFrequent: boolean) => {
    const found = await lists()
      .select(accountId, aQuery({ q: 'member77' }), now, isFrequent)
      .getMany();
    return found.map(({ id }) => id);
  };
  expect(await ids(true)).toEqual(await ids(false));
});

it('the service lists every expired member once, newest first, including members whose expiry is not stored yet', async () => {
  const ids: number[] = [];
  let cursor: string | undefined;
  do {
    const page = await lists().list(accountId, aQuery({ status: 'expired', limit: 100, cursor }), now);
    expect(new Set(page.data.map(({ status }) => status))).toEqual(new Set(['expired']));
    ids.push(...page.data.map(({ member }) => member.id));
    cursor = page.nextCursor ?? undefined;
  } while (cursor);
  expect(ids).toHaveLength(1000 + 10);
  expect(ids).toEqual([...new Set(ids)].sort((a, b) => b - a));
});
