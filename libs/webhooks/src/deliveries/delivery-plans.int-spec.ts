import { forgetSecretsSql } from '../webhooks/webhooks.repository.js';
import { WebhooksWorld } from './deliveries.fixtures.js';
import { claimSql, recordSql } from './deliveries.repository.js';
import { listSql } from './delivery-list.repository.js';

let world: WebhooksWorld;
beforeAll(async () => (world = await WebhooksWorld.start()));
afterAll(() => world.stop());

describe('among thousands of deliveries', () => {
  interface Node {
    readonly 'Node Type': string;
    readonly 'Relation Name'?: string;
    readonly Plans?: readonly Node[];
  }
  const nodesOf = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];

  it('no statement reads a table through', async () => {
    const [hook, other] = [await world.webhook(), await world.webhook()];
    for (const { accountId, webhookId } of [hook, other]) {
      await world.db.query(
        `INSERT INTO webhook_event (account_id, id, type, occurred_at, data)
         SELECT $1, 'evt_' || n, 'pass.created', now() - n * interval '1 s', '{}' FROM generate_series(1, 5000) n`,
        [accountId],
      );
      await world.db.query(
        `UPDATE webhook_delivery SET due_at = CASE WHEN n % 100 = 0 THEN due_at END,
           delivered_at = CASE WHEN n % 50 <> 0 THEN now() END
         FROM generate_series(1, 5000) n
         WHERE account_id = $1 AND webhook_id = $2 AND event_id = 'evt_' || n`,
        [accountId, webhookId],
      );
    }
    // Of another account, and no business of the events'.
    const { accountId: many } = await world.account();
    await world.db.query(
      `INSERT INTO webhook (account_id, id, secret, created_at, updated_at)
       SELECT $1, 'wh_' || n, '', now(), now() FROM generate_series(1, 5000) n`,
      [many],
    );
    await world.db.query('VACUUM ANALYZE webhook, webhook_delivery, webhook_event');
    const { accountId, webhookId } = hook;
    const at = [accountId, webhookId];
    const now = new Date();
    const record = { eventId: 'evt_100', attempts: 1, dueAt: now, attemptedAt: now, arrived: false };
    const statements: [string, unknown[]][] = [
      [claimSql, [...at, now, now, 100]],
      [forgetSecretsSql, [now]],
      [recordSql, [...at, now, JSON.stringify(new Array(100).fill(record))]],
      ...([null, 'pending', 'failed', 'delivered'] as const).map((status): [string, unknown[]] => [
        listSql(status),
        [...at, now, 'evt_1', 21],
      ]),
    ];
    for (const [sql, values] of statements) {
      const [row] = await world.db.query<{ 'QUERY PLAN': [{ Plan: Node }] }[]>(`EXPLAIN (FORMAT JSON) ${sql}`, values);
      const scanned = nodesOf(row!['QUERY PLAN'][0].Plan).filter((node) => node['Node Type'] === 'Seq Scan');
      expect([sql, scanned.map((node) => node['Relation Name'])]).toEqual([sql, []]);
    }
  });
});
