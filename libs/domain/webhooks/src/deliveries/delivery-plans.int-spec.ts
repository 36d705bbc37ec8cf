import { Database } from '@passwright/database';
import { analysedPlan, mostRowsRead, planOf, vacuumed } from '@passwright/testing';
import { forgetSecretsSql } from '../webhooks/webhooks.repository.js';
import { filledPartitions } from '../events/events.fixtures.js';
import { eventIdAt } from '../events/events-cleanup.cron.js';
import type { WebhookRef } from '../webhooks/webhooks.jobs.js';
import { WebhooksWorld } from './deliveries.fixtures.js';
import { claimSql, recordSql } from './deliveries.repository.js';
import { DeliveryListRepository, listSql, longListSql, manyPendingSql } from './delivery-list.repository.js';

/** Skips a test of query plans if PARTITIONS is set, because Postgres scans small partitions completely. */
const itWithoutPartitions = process.env.PARTITIONS ? it.skip : it;

let world: WebhooksWorld;
beforeAll(async () => (world = await WebhooksWorld.start()));
afterAll(() => world.stop());

/** Lists pending deliveries. @returns their number, and the most rows that a part of a statement read */
async function listed(hook: WebhookRef): Promise<{ found: number; mostRead: number }> {
  const query = jest.spyOn(world.get(Database).reads, 'query');
  const page = { status: 'pending', limit: 21, after: null } as const;
  const { length: found } = await world.get(DeliveryListRepository).list(hook, page);
  const statements = query.mock.calls.map(([sql, values]): [string, unknown[]] => [sql, (values ?? []) as unknown[]]);
  query.mockRestore();
  let mostRead = 0;
  for (const [sql, values] of statements) {
    mostRead = Math.max(mostRead, mostRowsRead(await analysedPlan(world.db, sql, values)));
  }
  return { found, mostRead };
}

itWithoutPartitions('the list of a few old pending deliveries reads few other deliveries', async () => {
  const hook = await world.webhook();
  // The statistics of the table expect many pending deliveries, because those of another webhook are all pending.
  for (const [{ accountId, webhookId }, pending] of [
    [hook, 5],
    [await world.webhook(), 20_000],
  ] as const) {
    await world.db.query(
      `INSERT INTO webhook_delivery (account_id, webhook_id, event_id, occurred_at, due_at, delivered_at)
       SELECT $1, $2, $3 || lpad(n::text, 5, '0'), now() - (20000 - n) * interval '1 s',
         CASE WHEN n <= $4 THEN now() + interval '1 day' END, CASE WHEN n > $4 THEN now() END
       FROM generate_series(1, 20000) n`,
      [accountId, webhookId, eventIdAt(new Date()), pending],
    );
  }
  await vacuumed(world.db, 'webhook_delivery');
  const { found, mostRead } = await listed(hook);
  expect(found).toBe(5);
  expect(mostRead).toBeLessThan(1000);
});

itWithoutPartitions('the list of pending deliveries reads only the newest if these fill the page', async () => {
  const hook = await world.webhook();
  await world.db.query(
    `INSERT INTO webhook_delivery (account_id, webhook_id, event_id, occurred_at, due_at, delivered_at)
     SELECT $1, $2, $3 || lpad(n::text, 5, '0'), now() - n * interval '1 s',
       CASE WHEN n <= 4000 THEN now() + interval '1 day' END, CASE WHEN n > 4000 THEN now() END
     FROM generate_series(1, 20000) n`,
    [hook.accountId, hook.webhookId, eventIdAt(new Date())],
  );
  await vacuumed(world.db, 'webhook_delivery');
  const { found, mostRead } = await listed(hook);
  expect(found).toBe(21);
  expect(mostRead).toBeLessThan(100);
});

describe('plans with thousands of deliveries', () => {
  itWithoutPartitions('the statements of the service do not scan whole tables', async () => {
    const idBegin = eventIdAt(new Date());
    const [hook, other] = [await world.webhook(), await world.webhook()];
    for (const { accountId, webhookId } of [hook, other]) {
      await world.db.query(
        `INSERT INTO webhook_event (account_id, id, type, occurred_at, data)
         SELECT $1, $2 || n, 'pass.created', now() - n * interval '1 s', '{}' FROM generate_series(1, 5000) n`,
        [accountId, idBegin],
      );
      await world.db.query(
        `UPDATE webhook_delivery SET due_at = CASE WHEN n % 100 = 0 THEN due_at END,
           delivered_at = CASE WHEN n % 50 <> 0 THEN now() END
         FROM generate_series(1, 5000) n
         WHERE account_id = $1 AND webhook_id = $2 AND event_id = $3 || n`,
        [accountId, webhookId, idBegin],
      );
    }
    // Rows of other accounts make the share of each account small, as in production.
    const { accountId: others } = await world.account();
    await world.db.query(
      `WITH event AS (
         INSERT INTO webhook_event (account_id, id, type, occurred_at, data)
         SELECT $1, $2 || n, 'pass.created', now(), '{}' FROM generate_series(1, 40000) n RETURNING id
       )
       INSERT INTO webhook_delivery (account_id, webhook_id, event_id, occurred_at, delivered_at)
       SELECT $1, 'wh_filling', id, now(), now() FROM event`,
      [others, idBegin],
    );
    const { accountId: many } = await world.account();
    await world.db.query(
      `INSERT INTO webhook (account_id, id, secret, created_at, updated_at)
       SELECT $1, 'wh_' || n, '', now(), now() FROM generate_series(1, 5000) n`,
      [many],
    );
    await vacuumed(world.db, 'webhook', 'webhook_delivery', 'webhook_event');
    const filled = ['webhook', ...(await filledPartitions(world.db))];
    expect(filled.length).toBeGreaterThanOrEqual(3);
    const { accountId, webhookId } = hook;
    const at = [accountId, webhookId];
    const now = new Date();
    const record = { eventId: `${idBegin}100`, attempts: 1, dueAt: now, attemptedAt: now, arrived: false };
    const statements: [string, unknown[]][] = [
      [claimSql, [...at, now, now, 100, 1]],
      [forgetSecretsSql, [now]],
      [manyPendingSql, at],
      [longListSql, [...at, now, `${idBegin}1`]],
      [listSql('pending', 'next'), [...at, now, `${idBegin}1`, 21]],
      [listSql('pending', 'few'), [...at, now, `${idBegin}1`, 21]],
      [recordSql, [...at, now, JSON.stringify(new Array(100).fill(record))]],
      ...([null, 'pending', 'failed', 'delivered'] as const).map((status): [string, unknown[]] => [
        listSql(status),
        [...at, now, `${idBegin}1`, 21],
      ]),
    ];
    for (const [sql, values] of statements) {
      const scanned = (await planOf(world.db, sql, values)).filter((step) => step['Node Type'] === 'Seq Scan');
      const tables = scanned.map((step) => step['Relation Name'] ?? '');
      expect([sql, tables.filter((name) => filled.includes(name))]).toEqual([sql, []]);
    }
  });
});
