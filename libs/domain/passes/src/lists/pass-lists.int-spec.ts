import { Database } from '@passwright/database';
import type { Template } from '@passwright/templates';
import { analysedPlan, mostRowsRead } from '@passwright/testing';
import { TestAccount, TestApp } from '../test-app.fixtures.js';
import { PassListQuery } from './pass-list.dto.js';
import { PassListsRepository } from './pass-lists.repository.js';
import { PassesService } from '../passes/passes.service.js';

let app: TestApp;
let account: TestAccount;
let template: Template;

beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.stop());
beforeEach(async () => {
  app.clock.set('2026-11-20T10:00:00.000Z');
  account = await app.account();
  template = await account.template('offer');
});

async function ids(query: string): Promise<string[]> {
  const found: string[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const page = await account.get(`offer?${query}&limit=2${cursor && `&cursor=${cursor}`}`).expect(200);
    expect(page.body.data.length).toBeLessThanOrEqual(2);
    found.push(...page.body.data.map(({ id }: { id: string }) => id));
    cursor = page.body.nextCursor as string | null;
  }
  return found;
}

/** Issues passes a to e, and advances the clock before c, so that some passes have the same creation time. */
async function fivePasses(): Promise<void> {
  const expiries = { a: '2027-05-01', b: '2027-04-01', c: '2027-03-01', d: '2027-04-01', e: null };
  for (const [id, date] of Object.entries(expiries)) {
    if (id === 'c') app.clock.advance(60);
    await account.post(`offer/${id}`, { code: `code-${id}`, expiry: date && `${date}T00:00:00Z` }).expect(200);
  }
}

describe('the list of passes', () => {
  it('the service lists each pass once, newest first, over any number of pages', async () => {
    await fivePasses();
    expect(await ids('')).toEqual(['e', 'd', 'c', 'b', 'a']);
  });

  it('the service finds the pass with a given code', async () => {
    await fivePasses();
    expect(await ids('code=code-c')).toEqual(['c']);
    expect(await ids('code=none')).toEqual([]);
  });

  it('the list with expiresBefore contains the passes that expire before a time, in the order of their expiries', async () => {
    await fivePasses();
    expect(await ids('expiresBefore=2027-05-01T00:00:00Z')).toEqual(['c', 'b', 'd']);
    expect(await ids('expiresBefore=2027-05-01T00:00:00.001Z')).toEqual(['c', 'b', 'd', 'a']);
  });

  it('the list with updatedSince contains the passes that changed since a time, in the order of their changes', async () => {
    await fivePasses();
    app.clock.advance(60);
    await account.patch('offer/a', { code: 'new' });
    expect(await ids('updatedSince=2026-11-20T10:01:00Z')).toEqual(['c', 'd', 'e', 'a']);
    expect(await ids('updatedSince=2026-11-20T10:01:00.001Z')).toEqual(['a']);
  });

  it('the filter for void passes treats all passes of an archived template as void', async () => {
    await fivePasses();
    await account.post('offer/b/void').expect(200);
    await account.post('offer/d/void').expect(200);
    expect(await ids('voided=true')).toEqual(['d', 'b']);
    expect(await ids('voided=false')).toEqual(['e', 'c', 'a']);
    await account.archive('offer');
    expect(await ids('voided=true')).toEqual(['e', 'd', 'c', 'b', 'a']);
    expect(await ids('voided=false')).toEqual([]);
  });

  it('the filters of the pass list can be combined', async () => {
    await fivePasses();
    await account.post('offer/b/void').expect(200);
    expect(await ids('expiresBefore=2027-05-01T00:00:00Z&voided=false')).toEqual(['c', 'd']);
    expect(await ids('code=code-b&voided=false')).toEqual([]);
    expect(await ids('updatedSince=2026-11-20T10:01:00Z&expiresBefore=2027-04-01T00:00:00Z')).toEqual(['c']);
  });

  it('the list of passes reads only a few more passes than a page contains, however large the passes are', async () => {
    const backFields = Array.from({ length: 50 }, (_, n) => ({
      key: `k${n}`,
      label: 'Terms',
      value: 'x'.repeat(2000),
    }));
    const all = Array.from({ length: 30 }, (_, n) => `p${n}`);
    for (const id of all) await account.post(`offer/${id}`, { backFields }).expect(200);
    const select = jest.spyOn(app.get(PassListsRepository), 'select');
    const found: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page = await account.get(`offer?limit=100${cursor && `&cursor=${cursor}`}`).expect(200);
      found.push(...page.body.data.map(({ id }: { id: string }) => id));
      cursor = page.body.nextCursor as string | null;
    }
    expect(found.sort()).toEqual(all.sort());
    expect(Math.max(...select.mock.calls.map(([, { limit }]) => limit))).toBe(21);
    select.mockRestore();
  });

  it('the service lists only passes of the requested template', async () => {
    await account.template('offer', { id: 'other' });
    await account.post('other/x', {}).expect(200);
    const stranger = await app.account();
    await stranger.template('offer');
    await stranger.post('offer/y', {}).expect(200);
    expect(await ids('')).toEqual([]);
  });

  it('404 template_not_found for an unknown template', async () => {
    const { body } = await account.get('none').expect(404);
    expect(body.code).toBe('template_not_found');
  });

  const forged = (...values: unknown[]) => Buffer.from(JSON.stringify(values)).toString('base64url');
  it.each([
    'limit=0',
    'limit=101',
    'limit=x',
    'voided=1',
    'code=',
    'updatedSince=2026-11-20',
    'expiresBefore=never',
    'unknown=1',
    'code=a&code=b',
    'cursor=x',
    `cursor=${forged('created', '2026-11-20T10:00:00.000Z', 'a\u0000')}`,
    `cursor=${forged('created', 'now()', 'a')}`,
    `cursor=${forged('created', '2026-11-20T10:00:00.000Z')}`,
    `cursor=${forged('updated', '2026-11-20T10:00:00.000Z', 'a')}`,
    `cursor=${forged('created', 1, {})}`,
  ])('400 validation_failed for the query %s', async (query) => {
    const { body } = await account.get(`offer?${query}`).expect(400);
    expect(body.code).toBe('validation_failed');
  });

  it('the service accepts a cursor with a time zone offset that JavaScript can read but Postgres cannot', async () => {
    await account.get(`offer?cursor=${forged('created', '2026-11-20T10:00:00+23:59', 'a')}`).expect(200);
  });
});

/** Returns the greatest number of rows that a part of a statement reads. */
async function mostRead(sql: string, values: unknown): Promise<number> {
  return mostRowsRead(await analysedPlan(app.get(Database).reads, sql, values as unknown[]));
}

const insertMany = (count: number) => `
  INSERT INTO pass
  SELECT $1, 'offer', 'offer', 'p' || n, 's' || n, 'c' || n, NULL, $2::timestamptz + n * interval '1 s',
    CASE WHEN n % 50 = 0 THEN $2::timestamptz END, NULL, NULL, NULL, '[]', '[]', '[]', '{}', 1,
    $2::timestamptz + n * interval '1 s', $2::timestamptz + n * interval '1 s'
  FROM generate_series(1, ${count}) n`;

describe('an update of a pass', () => {
  /** Reads the counters of this connection that Postgres has not reported yet. */
  const countsSql = `SELECT sum(n_tup_upd) AS updated, sum(n_tup_hot_upd) AS hot FROM pg_stat_xact_user_tables
    WHERE relname = 'pass'`;

  it('an update of a pass stays in the same database page, because it does not change indexed columns', async () => {
    const database = app.get(Database);
    await database.reads.query(insertMany(1000), [account.id, app.clock.now()]);
    const counts = await database.inOneTransaction(async (begin) => {
      const tx = await begin();
      const count = async () => (await tx.query<{ updated: string; hot: string }[]>(countsSql))[0]!;
      const before = await count();
      // Update one pass per database page, because uncommitted updates do not free space for further updates.
      for (const passId of ['p100', 'p300', 'p500', 'p700', 'p900']) {
        const metadata = { passId };
        await app.get(PassesService).patch({ accountId: account.id, templateId: 'offer', passId }, { metadata });
        const fields = [{ key: 'points', label: 'Points', value: passId }];
        await app.get(PassesService).patch({ accountId: account.id, templateId: 'offer', passId }, { fields });
      }
      const after = await count();
      return { updated: Number(after.updated) - Number(before.updated), hot: Number(after.hot) - Number(before.hot) };
    });
    expect(counts).toEqual({ updated: 10, hot: 10 });
  });
});

/** Skips a test of query plans if PARTITIONS is set, because Postgres scans small partitions completely. */
const itWithoutPartitions = process.env.PARTITIONS ? it.skip : it;

describe('a page of many passes', () => {
  it.each([
    ['all passes', {}, 'pass_created_idx'],
    ['void passes', { voided: true }, 'pass_voided_idx'],
    ['passes with a code', { code: 'c77' }, 'pass_code_key'],
    ['passes that changed since a time', { updatedSince: '2026-11-20T12:00:00Z' }, 'pass_update_order_pkey'],
    ['passes that expire before a time', { expiresBefore: '2026-11-20T12:00:00Z' }, 'pass_expires_idx'],
  ])(
    'the first page and a late page of %s are read from an index, in order, without sorting',
    async (_, filters, index) => {
      const { reads } = app.get(Database);
      await reads.query(insertMany(20_000), [account.id, app.clock.now()]);
      await reads.query('ANALYZE pass, pass_update_order');
      const lists = app.get(PassListsRepository);
      const query = Object.assign(new PassListQuery(), filters);
      const first = await lists.list(template, query, ({ id }) => id);

      for (const cursor of [undefined, first.nextCursor ?? undefined]) {
        const [sql, parameters] = lists
          .select(template, Object.assign(new PassListQuery(), filters, { cursor }))
          .getQueryAndParameters();
        const plan = JSON.stringify(await reads.query(`EXPLAIN (FORMAT JSON) ${sql}`, parameters));
        expect(plan).toContain(`"Index Name":"${index}"`);
        expect(plan).not.toMatch(/"Node Type":"(Seq Scan|Sort|Incremental Sort|Bitmap Heap Scan)"/);
      }
    },
  );

  itWithoutPartitions.each([
    ['passes that are void', { voided: true, updatedSince: '2026-11-20T10:00:00Z' }, 10],
    ['passes that are void and expire before a time', { voided: true, expiresBefore: '2027-11-20T10:00:00Z' }, 10],
    [
      'passes that expire before a time',
      { expiresBefore: '2026-11-20T10:00:11Z', updatedSince: '2026-11-20T10:00:00Z' },
      10,
    ],
    ['the pass with a code', { code: 'c77', updatedSince: '2026-11-20T10:00:00Z' }, 1],
  ])('the list of changed passes finds few %s without reading all changed passes', async (_, filters, count) => {
    const { reads } = app.get(Database);
    await reads.query(insertMany(20_000), [account.id, app.clock.now()]);
    const few = `voided_at = CASE WHEN id >= 'p19990' AND length(id) = 6 AND id < 'p20000' THEN $2::timestamptz END`;
    await reads.query(`UPDATE pass SET ${few} WHERE account_id = $1`, [account.id, app.clock.now()]);
    await reads.query('ANALYZE pass, pass_update_order');
    const lists = app.get(PassListsRepository);
    const select = jest.spyOn(lists, 'select');
    const query = Object.assign(new PassListQuery(), { ...filters, limit: 7 });
    const first = await lists.list(template, query, ({ id }) => id);
    const second =
      first.nextCursor && (await lists.list(template, { ...query, cursor: first.nextCursor }, ({ id }) => id));
    expect(new Set([...first.data, ...(second ? second.data : [])]).size).toBe(count);
    const statements = select.mock.results.map(({ value }) => value as ReturnType<PassListsRepository['select']>);
    select.mockRestore();
    for (const statement of statements) {
      const [sql, values] = statement.getQueryAndParameters();
      expect(await mostRead(sql, values)).toBeLessThan(1000);
    }
  });

  it.each([
    ['void passes', { voided: true }],
    ['passes that expire before a time', { expiresBefore: '2027-11-20T10:00:00Z' }],
  ])('the list of few changed passes reads only these, although thousands are %s', async (_, filters) => {
    const { reads } = app.get(Database);
    const since = app.clock.now();
    await reads.query(insertMany(20_000), [account.id, since]);
    const [many, time] = [`right(id, 1) IN ('0', '5')`, '$2::timestamptz'];
    const values = `voided_at = CASE WHEN ${many} THEN ${time} END, expires_at = CASE WHEN ${many} THEN ${time} END`;
    await reads.query(`UPDATE pass SET ${values} WHERE account_id = $1`, [account.id, since]);
    await reads.query('ANALYZE pass, pass_update_order');
    const updatedSince = new Date(since.getTime() + 19_990_000).toISOString();
    const query = Object.assign(new PassListQuery(), { ...filters, updatedSince });
    const runner = reads.createQueryBuilder().connection.createQueryRunner();
    const sent = jest.spyOn(Object.getPrototypeOf(runner) as typeof runner, 'query');
    const { data } = await app.get(PassListsRepository).list(template, query, ({ id }) => id);
    const statements = sent.mock.calls.map(([sql, parameters]) => [sql, parameters] as const);
    sent.mockRestore();
    await runner.release();
    expect(data).toEqual(['p19990', 'p19995', 'p20000']);
    for (const [sql, parameters] of statements) expect(await mostRead(sql, parameters ?? [])).toBeLessThan(100);
  });
});
