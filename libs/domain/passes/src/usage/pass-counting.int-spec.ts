import { UsageService } from '@passwright/billing';
import { Database } from '@passwright/database';
import { TemplatesService } from '@passwright/templates';
import { lockWaitsSql } from '@passwright/testing';
import { TestAccount, TestApp } from '../test-app.fixtures.js';
import { PassExpiryCron } from '../expiry/pass-expiry.cron.js';
import { PassesService } from '../passes/passes.service.js';
import { PassTransitionsService } from '../transitions/pass-transitions.service.js';

/* The tests run two nodes with separate connections on one database. */
let nodes: [TestApp, TestApp];
let account: TestAccount;

beforeAll(async () => {
  nodes = await Promise.all([TestApp.start(), TestApp.start()]);
});
afterAll(() => Promise.all(nodes.map((node) => node.stop())));
beforeEach(async () => {
  setClocks('2026-11-20T10:00:00.000Z');
  account = await nodes[0].account();
});

const one = <T>(values: readonly T[]): T => values[Math.floor(Math.random() * values.length)] as T;
const query = <T>(sql: string, values: unknown[]) => nodes[0].get(Database).reads.query<T[]>(sql, values);
const usage = (node = nodes[0]) => node.get(UsageService).now(account.id);

function setClocks(time: string): void {
  for (const node of nodes) node.clock.set(time);
}

function create(node: TestApp, expiry?: string) {
  return node.get(PassesService).create(account.id, 'offer', { expiry });
}

/**
 * Creates passes simultaneously. Asserts that the limit rejected all other requests. @returns the number of created
 * passes
 */
async function createMany(count: number): Promise<number> {
  const results = await Promise.allSettled(Array.from({ length: count }, (_, n) => create(nodes[n % 2] ?? nodes[0])));
  const rejected = results.filter((result) => result.status === 'rejected');
  for (const { reason } of rejected) expect(reason).toMatchObject({ statusCode: 403, code: 'limit_exceeded' });
  return count - rejected.length;
}

async function setLimit(limit: number | null, period: { start: string; end: string } | null = null): Promise<void> {
  const { start = null, end = null } = period ?? {};
  await nodes[1].get(Database).transaction((tx) =>
    nodes[1].get(UsageService).changeTerms(tx, account.id, async () => {
      await tx.query(
        `INSERT INTO billing
           (account_id, max_pass_creations, current_period_start, current_period_end, period, operator_settings, updated_at)
         VALUES ($1, $2, $3, $4, $5, '{}', now())
         ON CONFLICT (account_id) DO UPDATE SET max_pass_creations = $2, current_period_start = excluded.current_period_start,
           current_period_end = excluded.current_period_end, period = excluded.period`,
        [account.id, limit, start, end, start && 'month'],
      );
    }),
  );
}

describe('pass usage', () => {
  /** SQL that reads the counters and counts all rows in one statement. */
  const both = `
    SELECT (SELECT sum(created) FROM pass_creation WHERE account_id = $1) AS created,
      (SELECT count(*) FROM pass WHERE account_id = $1)
        + (SELECT count(*) FROM deleted_pass WHERE account_id = $1) AS created_in_full,
      (SELECT sum(active) FROM active_pass WHERE account_id = $1) AS active,
      (SELECT count(*) FROM pass WHERE account_id = $1 AND voided_at IS NULL AND expired_at IS NULL) AS active_in_full`;

  async function expectSums(): Promise<void> {
    const [sums] = await query<Record<string, string | null>>(both, [account.id]);
    expect([sums?.created ?? '0', sums?.active ?? '0']).toEqual([sums?.created_in_full, sums?.active_in_full]);
  }

  async function someAddress() {
    const rows = await query<{ templateId: string; passId: string }>(
      `SELECT template_id AS "templateId", id AS "passId" FROM pass WHERE account_id = $1`,
      [account.id],
    );
    const { templateId, passId } = rows.length > 0 ? one(rows) : { templateId: 'offer', passId: 'none' };
    return { accountId: account.id, templateId, passId };
  }

  const soon = (node: TestApp) =>
    new Date(node.clock.now().getTime() + 1000 * Math.ceil(Math.random() * 90)).toISOString();
  const rolledBack = new Error('rolled back');
  let redemptions = 0;
  const work: ((node: TestApp, template: string) => Promise<unknown>)[] = [
    (node, template) => node.get(PassesService).create(account.id, template, { expiry: one([undefined, soon(node)]) }),
    (node, template) => node.get(PassesService).create(account.id, template, { voided: true }),
    (node, template) =>
      node.get(PassesService).upsert({ accountId: account.id, templateId: template, passId: `p${one([1, 2, 3])}` }, {}),
    async (node) => node.get(PassTransitionsService).void(await someAddress()),
    async (node) => node.get(PassTransitionsService).unvoid(await someAddress()),
    async (node) => {
      await node.get(PassTransitionsService).redeem(await someAddress());
      redemptions += 1;
    },
    async (node) => node.get(PassesService).patch(await someAddress(), { expiry: one([null, soon(node)]) }),
    async (node) => node.get(PassesService).delete(await someAddress()),
    (node, template) => node.get(TemplatesService).archive(account.id, template),
    (node, template) => node.get(TemplatesService).unarchive(account.id, template),
    async (node, template) =>
      node.get(Database).inOneTransaction(async () => {
        await node.get(PassesService).create(account.id, template);
        throw rolledBack;
      }),
    async (node) => {
      for (const { clock } of nodes) clock.advance(1);
      await node.get(PassExpiryCron).expire({ signal: new AbortController().signal });
    },
  ];

  it('the counts of passes are exact at every moment, even while two nodes change passes simultaneously', async () => {
    const templates = ['offer', 'other'];
    for (const id of templates) await account.template('offer', { id });
    const workers = Array.from({ length: 12 }, async (_, n) => {
      for (let step = 0; step < 25; step += 1) {
        await one(work)(nodes[n % 2] ?? nodes[0], one(templates)).catch((error: { statusCode?: number }) => {
          if (error !== rolledBack) expect([404, 409]).toContain(error.statusCode);
        });
        if (n === 0) await expectSums();
      }
    });
    await Promise.all(workers);
    await expectSums();
    const [uses] = await query('SELECT coalesce(sum(redeemed), 0)::integer AS n FROM pass_use WHERE account_id = $1', [
      account.id,
    ]);
    expect(uses).toEqual({ n: redemptions });

    setClocks(new Date(nodes[0].clock.now().getTime() + 60_000).toISOString());
    const [full] = await query<{ created: number; active: number }>(
      `SELECT (count(*) + (SELECT count(*) FROM deleted_pass WHERE account_id = $1))::integer AS created,
         (count(*) FILTER (WHERE voided_at IS NULL AND archived_at IS NULL AND (expires_at > $2) IS NOT FALSE))::integer AS active
       FROM pass JOIN template ON template.account_id = pass.account_id AND template.id = template_id
       WHERE pass.account_id = $1`,
      [account.id, nodes[0].clock.now()],
    );
    expect(await usage()).toEqual({ passCreations: full?.created, activePasses: full?.active });
  }, 180_000);

  it('an expired pass never counts as active, even before its expiry is recorded', async () => {
    await account.template('offer');
    await create(nodes[0], '2026-11-20T10:00:30.000Z');
    await create(nodes[0]);
    expect((await usage()).activePasses).toBe(2);
    setClocks('2026-11-20T10:00:30.000Z');
    expect((await usage()).activePasses).toBe(1);
    await nodes[0].get(PassExpiryCron).expire({ signal: new AbortController().signal });
    expect((await usage()).activePasses).toBe(1);
    await account.archive('offer');
    expect((await usage()).activePasses).toBe(0);
    await account.unarchive('offer');
    expect((await usage()).activePasses).toBe(1);
  });

  it('passes that one statement inserts each count in the month and billing period of their creation time', async () => {
    await account.template('offer');
    await setLimit(null, { start: '2026-11-12T00:00:00.000Z', end: '2026-12-12T00:00:00.000Z' });
    await query(
      `INSERT INTO pass (account_id, template_id, template_type, id, serial_number, code, fields, back_fields, locations,
         metadata, version, created_at, updated_at)
       SELECT $1, 'offer', 'offer', 'p' || n, $1 || n, n, '[]', '[]', '[]', '{}', 1, at, at FROM generate_series(0, 999) n,
         LATERAL (SELECT '2026-11-20T00:00:00Z'::timestamptz - n % 20 * interval '1 day') AS created(at)`,
      [account.id],
    );
    // The billing period has nine of the twenty days: the 12th to the 20th.
    expect(await usage()).toEqual({ passCreations: 450, activePasses: 1000 });
    await setLimit(null);
    expect(await usage()).toEqual({ passCreations: 1000, activePasses: 1000 });
    await query(`UPDATE pass SET voided_at = updated_at WHERE account_id = $1 AND code::integer % 4 = 0`, [account.id]);
    expect((await usage()).activePasses).toBe(750);
    await query(`DELETE FROM pass WHERE account_id = $1 AND code::integer < 500`, [account.id]);
    expect((await usage()).activePasses).toBe(375);
  });
});

describe('the period of pass creations', () => {
  beforeEach(() => account.template('offer'));

  it('pass creations count by calendar month if the account has no subscription', async () => {
    setClocks('2026-11-30T23:59:59.999Z');
    await createMany(3);
    expect(await usage()).toEqual({ passCreations: 3, activePasses: 3 });
    setClocks('2026-12-01T00:00:00.000Z');
    await createMany(2);
    expect(await usage()).toEqual({ passCreations: 2, activePasses: 5 });
  });

  it('pass creations count from the beginning of the subscription’s period, even if the passes were deleted', async () => {
    setClocks('2026-11-05T00:00:00.000Z');
    await createMany(4);
    setClocks('2026-11-12T00:00:00.000Z');
    await createMany(3);
    const { pass } = await create(nodes[0]);
    await nodes[0].get(PassesService).delete({ accountId: account.id, templateId: 'offer', passId: pass.id });
    setClocks('2026-11-20T10:00:00.000Z');
    await createMany(2);
    const counts: number[] = [];
    for (const start of ['2026-11-12T00:00:00.000Z', '2026-11-20T10:00:00.000Z', null, '2026-11-05T00:00:00.001Z']) {
      await setLimit(null, start === null ? null : { start, end: '2026-12-12T00:00:00.000Z' });
      counts.push((await usage()).passCreations);
    }
    expect(counts).toEqual([6, 2, 10, 6]);
    await create(nodes[0]);
    expect((await usage()).passCreations).toBe(7);
    const months = await query('SELECT sum(created)::integer AS n FROM pass_creation WHERE account_id = $1', [
      account.id,
    ]);
    expect(months).toEqual([{ n: 11 }]);
  });

  it('pass creations count in periods of equal length until the payment provider reports the next period', async () => {
    await setLimit(5, { start: '2026-10-31T12:00:00.000Z', end: '2026-11-30T12:00:00.000Z' });
    setClocks('2026-11-30T11:59:59.999Z');
    expect(await createMany(7)).toBe(5);
    setClocks('2026-11-30T12:00:00.000Z');
    expect(await createMany(7)).toBe(5);
    await setLimit(5, { start: '2026-11-30T12:00:00.000Z', end: '2026-12-31T12:00:00.000Z' });
    expect((await usage()).passCreations).toBe(5);
    setClocks('2026-12-30T12:00:00.000Z');
    expect(await createMany(2)).toBe(0);
  });
});

describe('403 limit_exceeded for pass creations', () => {
  beforeEach(() => account.template('offer'));

  it.each([0, 1, 7, 49, 50])(
    'exactly %i of 50 passes fit within the limit when two nodes create them simultaneously',
    async (limit) => {
      await setLimit(limit);
      expect(await createMany(50)).toBe(limit);
      expect(await usage()).toEqual({ passCreations: limit, activePasses: limit });
    },
  );

  it('403 limit_exceeded names the limit, the end of the period and the remedy', async () => {
    await setLimit(1);
    await create(nodes[0]);
    await expect(create(nodes[1])).rejects.toThrow(
      /^maxPassCreations of the account is 1 .* after 2026-12-01T00:00:00.000Z.* have the limit raised\.$/,
    );
    const upsert = await account.post('offer/new', {}).expect(403);
    expect(upsert.body.code).toBe('limit_exceeded');
  });

  it('an existing pass can be changed, voided and un-voided while the account is at its limit', async () => {
    await setLimit(1);
    await account.post('offer/ada', {}).expect(200);
    await account.post('offer/ada', { code: 'NEW' }).expect(200);
    await account.post('offer/ada/void').expect(200);
    await account.post('offer/ada/unvoid').expect(200);
    await account.delete('offer/ada').expect(204);
    await account.post('offer/ada', {}).expect(403);
  });

  it('a raised, removed or lowered limit on passes applies immediately', async () => {
    await setLimit(3);
    expect(await createMany(5)).toBe(3);
    await setLimit(5);
    expect(await createMany(5)).toBe(2);
    await setLimit(4);
    expect(await createMany(5)).toBe(0);
    await setLimit(null);
    expect(await createMany(5)).toBe(5);
    await setLimit(12);
    const [made] = await Promise.all([createMany(30), setLimit(20), setLimit(20)]);
    expect(made + (await createMany(30))).toBe(10);
    expect((await usage()).passCreations).toBe(20);
  });

  it('a creation waits for the end of another transaction that would use up the limit', async () => {
    await setLimit(1);
    let other: Promise<unknown> | undefined;
    const work = nodes[0].get(Database).inOneTransaction(async () => {
      await create(nodes[0]);
      other = create(nodes[1]);
      while ((await nodes[1].get(Database).reads.query<unknown[]>(lockWaitsSql)).length === 0);
      throw new Error('rolled back');
    });
    await expect(work).rejects.toThrow('rolled back');
    await other;
    expect(await usage()).toEqual({ passCreations: 1, activePasses: 1 });
  });
});
