import type { EntityManager } from 'typeorm';

const COUNTED_AT_MOST = 100_000;

/** The webhook backlog of all accounts, as numbers that reveal no tenant. */
export interface WebhookBacklog {
  /** The number of due deliveries of enabled webhooks; 100,000 means at least 100,000. */
  readonly deliveriesDue: number;
  /** The number of enabled webhooks whose last delivery failed. */
  readonly webhooksFailing: number;
}

/** Counts the pending deliveries for metrics, in one bounded query. */
export async function webhookBacklog(tx: EntityManager, now: Date): Promise<WebhookBacklog> {
  const [backlog] = await tx.query<WebhookBacklog[]>(
    `SELECT (SELECT count(*)::int FROM (
               SELECT FROM webhook w JOIN webhook_delivery d ON d.account_id = w.account_id AND d.webhook_id = w.id
                WHERE w.disabled_at IS NULL AND w.url IS NOT NULL AND d.due_at <= $1 LIMIT ${COUNTED_AT_MOST}) AS counted
            ) AS "deliveriesDue",
            (SELECT count(*)::int FROM webhook WHERE disabled_at IS NULL AND failing_since IS NOT NULL) AS "webhooksFailing"`,
    [now],
  );
  if (!backlog) throw new Error('The backlog of webhooks was not counted');
  return backlog;
}
