import { UsageCron, UsageService } from '@passwright/billing';
import { Database } from '@passwright/database';
import { analysedPlan, type PlanStep } from '@passwright/testing';
import { TestApp } from '../test-app.fixtures.js';

let node: TestApp;
let accountId: string;

beforeAll(async () => {
  node = await TestApp.start();
});
afterAll(() => node.stop());
beforeEach(async () => {
  node.clock.set('2026-01-15T10:00:00.000Z');
  ({ id: accountId } = await node.account());
});

const query = <T>(sql: string, values: unknown[] = []) => node.get(Database).reads.query<T[]>(sql, values);
const noteMonth = () => node.get(UsageCron).noteMonth();
const history = (parameters = '') => node.send('get', `/v1/account/usage${parameters}`, accountId);

/** Inserts passes, distributed over `templates` templates. Pass n expires n days from now. */
async function passes(from: number, count: number, templates = 1): Promise<void> {
  const now = node.clock.now();
  await query(
    `INSERT INTO template (account_id, id, type, title, issuer_name, foreground_color, background_color, images,
       sharing_prohibited, locations, fields, back_fields, revision, created_at, updated_at)
     SELECT $1, 't' || n, 'offer', '', '', '', '', '{}', false, '[]', '[]', '[]', 1, $2, $2
     FROM generate_series(0, $3::int - 1) n ON CONFLICT DO NOTHING`,
    [accountId, now, templates],
  );
  await query(
    `INSERT INTO pass (account_id, template_id, template_type, id, serial_number, code, expires_at, fields, back_fields,
       locations, metadata, version, created_at, updated_at)
     SELECT $1, 't' || n % $5::int, 'offer', 'p' || n, $1 || n, n, $2::timestamptz + n * interval '1 day', '[]', '[]', '[]',
       '{}', 1, $2, $2 FROM generate_series($3::int, $3::int + $4::int - 1) n`,
    [accountId, now, from, count, templates],
  );
}

describe('GET /v1/account/usage', () => {
  it('the usage history lists every month of the account, newest first, and past months never change', async () => {
    await passes(16, 3);
    await noteMonth();
    node.clock.set('2026-01-31T23:59:00.000Z');
    await query('DELETE FROM pass WHERE account_id = $1 AND id = $2', [accountId, 'p17']);
    await noteMonth();
    node.clock.set('2026-03-31T23:59:00.000Z');
    await noteMonth();
    // The job of minute 59 starts late, in the next month.
    node.clock.set('2026-04-01T00:00:05.000Z');
    await noteMonth();
    await passes(100, 2);
    const { body } = await history();
    expect(body).toEqual({
      data: [
        { month: '2026-04', passCreations: 2, activePasses: 2 },
        // Both passes have expired by the end of the month.
        { month: '2026-03', passCreations: 0, activePasses: 0 },
        { month: '2026-02', passCreations: 0, activePasses: null },
        { month: '2026-01', passCreations: 3, activePasses: 1 },
      ],
      nextCursor: null,
    });
  });

  it('the usage history lists each month once, page by page, over two years', async () => {
    node.clock.set('2028-02-29T10:00:00.000Z');
    const months: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const { body } = await history(`?limit=7${cursor && `&cursor=${cursor}`}`);
      months.push(...body.data.map(({ month }: { month: string }) => month));
      cursor = body.nextCursor as string | null;
    }
    expect(months).toHaveLength(26);
    expect([months[0], months[1], months[25]]).toEqual(['2028-02', '2028-01', '2026-01']);
    expect([...new Set(months)].sort().reverse()).toEqual(months);
  });

  it('400 validation_failed for a cursor of another list', async () => {
    const forged = Buffer.from('["2026-13"]').toString('base64url');
    const response = await history(`?cursor=${forged}`);
    expect(response).toMatchObject({ status: 400, body: { code: 'validation_failed' } });
  });
});

describe('GET /v1/account/usage/days', () => {
  const noteDay = () => node.get(UsageCron).noteDay();
  const days = (parameters = '') => node.send('get', `/v1/account/usage/days${parameters}`, accountId);
  const day = (date: string, created = 0, redeemed = 0) => ({
    ...{ day: date, passCreations: created, redemptions: redeemed, installations: 0 },
  });
  const redeem = (id: string) =>
    query('UPDATE pass SET redeemed_at = $2 WHERE account_id = $1 AND id = $3', [accountId, node.clock.now(), id]);

  it('the daily usage lists each day, newest first, with the passes created and redeemed on that day', async () => {
    await passes(1, 2);
    await noteDay();
    node.clock.set('2026-01-15T23:59:00.000Z');
    await passes(3, 1);
    await noteDay();
    node.clock.set('2026-01-16T12:00:00.000Z');
    await redeem('p1');
    await redeem('p1');
    await query('DELETE FROM pass WHERE account_id = $1 AND id = $2', [accountId, 'p1']);
    // The job of minute 59 starts late, on the next day.
    node.clock.set('2026-01-17T00:00:05.000Z');
    await noteDay();
    node.clock.set('2026-01-18T00:00:00.000Z');
    await passes(10, 2);
    await redeem('p3');
    const { body } = await days();
    expect(body).toEqual({
      data: [day('2026-01-18', 2, 1), day('2026-01-17'), day('2026-01-16', 0, 1), day('2026-01-15', 3)],
      nextCursor: null,
    });
  });

  it('the daily usage adds creations and redemptions of unrecorded days to the next recorded day', async () => {
    await passes(1, 1);
    await noteDay();
    node.clock.set('2026-01-16T12:00:00.000Z');
    await passes(2, 2);
    await redeem('p1');
    node.clock.set('2026-01-17T12:59:00.000Z');
    await passes(4, 3);
    await noteDay();
    await passes(7, 1);
    node.clock.set('2026-01-18T12:00:00.000Z');
    const { body } = await days();
    expect(body.data).toEqual([day('2026-01-18', 1), day('2026-01-17', 5, 1), day('2026-01-16'), day('2026-01-15', 1)]);
  });

  it('the daily usage omits days before the upgrade to the version that records days', async () => {
    await passes(1, 3);
    await query(`INSERT INTO usage_day VALUES ($1, '2026-01-19', 3, 0, 0)`, [accountId]);
    node.clock.set('2026-01-20T23:59:00.000Z');
    await passes(4, 2);
    await noteDay();
    node.clock.set('2026-01-21T10:00:00.000Z');
    const { body } = await days();
    expect(body.data).toEqual([day('2026-01-21'), day('2026-01-20', 2)]);
  });

  it('the daily usage lists each day once, page by page, with the number of passes created', async () => {
    await passes(1, 1);
    await noteDay();
    node.clock.set('2026-02-10T23:59:00.000Z');
    await passes(2, 4);
    await noteDay();
    node.clock.set('2026-03-02T10:00:00.000Z');
    const listed: ReturnType<typeof day>[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const { body } = await days(`?limit=10${cursor && `&cursor=${cursor}`}`);
      listed.push(...body.data);
      cursor = body.nextCursor as string | null;
    }
    const dates = listed.map((one) => one.day);
    expect(dates).toHaveLength(47);
    expect([dates[0], dates[2], dates[46]]).toEqual(['2026-03-02', '2026-02-28', '2026-01-15']);
    expect([...new Set(dates)].sort().reverse()).toEqual(dates);
    expect(listed.filter(({ passCreations }) => passCreations > 0)).toEqual([
      day('2026-02-10', 4),
      day('2026-01-15', 1),
    ]);
  });
});

describe('usage with many passes of a thousand templates', () => {
  /** Returns the statement that reads the usage of an account. */
  async function usageNowSql(): Promise<string> {
    const lookUp = jest.spyOn(node.get(Database), 'lookUp');
    await node.get(UsageService).now(accountId);
    const sent = lookUp.mock.calls.find(([name]) => name === 'usage-now');
    lookUp.mockRestore();
    return sent![1];
  }

  /** Returns the statement that reads the usage history. */
  async function usageMonthsSql(): Promise<string> {
    const read = jest.spyOn(node.get(Database).reads, 'query');
    expect((await history()).status).toBe(200);
    const sent = read.mock.calls.find(([sql]) => sql.includes('usage_month'));
    read.mockRestore();
    return sent![0];
  }

  const plan = (sql: string, values: unknown[]) => analysedPlan({ query }, sql, values);
  const indexesOfPasses = (steps: PlanStep[]) =>
    steps
      .filter((step) => step['Relation Name'] === 'pass' || step['Index Name']?.startsWith('pass_un'))
      .map((step) => step['Index Name']);

  it('the usage queries read only the passes whose expiry is not recorded yet', async () => {
    await passes(1, 20_000, 1000);
    await query('ANALYZE pass, template, active_pass, pass_creation');
    const now = node.clock.now();
    const ofUsage = await plan(await usageNowSql(), [accountId, now]);
    const ofHistory = await plan(await usageMonthsSql(), [accountId, '2026-01-01', '2026-02-01']);
    expect(new Set(indexesOfPasses(ofUsage))).toEqual(new Set(['pass_unnoticed_idx']));
    expect(indexesOfPasses(ofHistory)).toEqual([]);
  });

  it('the usage query of an account stays fast even if many passes of other accounts have expired', async () => {
    await passes(1, 20_000, 10);
    const here = accountId;
    ({ id: accountId } = await node.account());
    await passes(1, 5, 1);
    const later = new Date('2199-01-01T00:00:00.000Z');
    await query('ANALYZE pass, template, active_pass, pass_creation');
    const sql = await usageNowSql();
    const read = async (account: string) => {
      const steps = await plan(sql, [account, later]);
      return steps[0]!['Shared Hit Blocks'] + steps[0]!['Shared Read Blocks'];
    };
    const [theirs, ours] = [await read(here), await read(accountId)];
    expect(ours).toBeLessThan(100);
    expect(theirs).toBeGreaterThan(ours);
  });
});
