import { Injectable } from '@nestjs/common';
import { Database } from '@passwright/database';
import type { EntityManager } from 'typeorm';
import type { WebhookRef } from '../webhooks/webhooks.jobs.js';
import type { DeliveryStatus, ListedDelivery } from './delivery.dto.js';

/** The range of events to replay: at most `limit` events, from `since` until before `until`. */
export interface Replayed {
  readonly since: Date;
  readonly until: Date;
  readonly limit: number;
}

const conditions: Record<DeliveryStatus, string> = {
  pending: 'due_at IS NOT NULL',
  delivered: 'due_at IS NULL AND delivered_at IS NOT NULL',
  failed: 'due_at IS NULL AND delivered_at IS NULL',
};

const sentAnew = 'due_at = $1, attempts = 0, delivered_at = NULL, problem = NULL';

/** The number of pending deliveries up to which sorting all of them is faster than a scan that may find none. */
const RARE = 5000;

/** SQL: a row if a webhook has so many pending deliveries that the newest are near the top of its list. */
export const manyPendingSql = `
  SELECT 1 FROM webhook_delivery WHERE account_id = $1 AND webhook_id = $2 AND due_at IS NOT NULL
  ORDER BY due_at OFFSET ${RARE} LIMIT 1`;

/** The number of deliveries of a list that a scan reads before the pending ones are searched. */
const SCANNED = 500;

const ofWebhook = 'account_id = $1 AND webhook_id = $2';
const before = `(occurred_at, event_id) < ($3, $4)`;
const newestFirst = 'ORDER BY occurred_at DESC, event_id DESC';

/** SQL: a row if a list goes on after the deliveries that the scan for pending ones reads. */
export const longListSql = `
  SELECT 1 FROM webhook_delivery WHERE ${ofWebhook} AND ${before} ${newestFirst} OFFSET ${SCANNED} LIMIT 1`;

/**
 * The deliveries of which a page consists: all of a webhook; the next ones of the list; or the pending ones, if they are
 * few. OFFSET 0 makes Postgres search these before it sorts.
 */
const sources = {
  all: 'webhook_delivery',
  next: `(SELECT * FROM webhook_delivery WHERE ${ofWebhook} AND ${before} ${newestFirst} LIMIT ${SCANNED}) AS next`,
  few: `(SELECT * FROM webhook_delivery WHERE ${ofWebhook} AND due_at IS NOT NULL OFFSET 0) AS few`,
};

/** SQL: a page of deliveries before a position, newest first. */
export const listSql = (status: DeliveryStatus | null, source: keyof typeof sources = 'all') => `
  SELECT d.event_id AS "eventId", e.type, d.occurred_at AS "occurredAt", d.attempts, d.due_at AS "dueAt",
         d.attempted_at AS "attemptedAt", d.delivered_at AS "deliveredAt", d.status_code AS "statusCode", d.problem
  FROM (SELECT * FROM ${sources[source]}
        WHERE ${ofWebhook} AND ${before} ${status ? `AND ${conditions[status]}` : ''}
        ${newestFirst} LIMIT $5) AS d
    LEFT JOIN webhook_event e ON e.account_id = $1 AND e.id = d.event_id
  ORDER BY d.occurred_at DESC, d.event_id DESC`;

/** Lists and replays deliveries for accounts. */
@Injectable()
export class DeliveryListRepository {
  constructor(private readonly database: Database) {}

  /** Lists deliveries, newest first. @param after the last delivery of the previous page */
  async list(
    { accountId, webhookId }: WebhookRef,
    page: {
      readonly status: DeliveryStatus | null;
      readonly limit: number;
      readonly after: { readonly occurredAt: Date; readonly eventId: string } | null;
    },
  ): Promise<ListedDelivery[]> {
    const { status, limit, after } = page;
    const { reads } = this.database;
    const of = [accountId, webhookId];
    const from = [...of, after?.occurredAt ?? 'infinity', after?.eventId ?? ''];
    if (status !== 'pending') return reads.query(listSql(status), [...from, limit]);
    // The newest deliveries are often pending, so first scan only some of the list.
    const next = await reads.query<ListedDelivery[]>(listSql(status, 'next'), [...from, limit]);
    if (next.length === limit || (await reads.query<unknown[]>(longListSql, from)).length === 0) return next;
    const isRare = (await reads.query<unknown[]>(manyPendingSql, of)).length === 0;
    return reads.query(listSql(status, isRare ? 'few' : 'all'), [...from, limit]);
  }

  /** Replays one event, even if it was never sent to the webhook. @returns its type; null for an unknown event */
  async replay(
    tx: EntityManager,
    { accountId, webhookId }: WebhookRef,
    eventId: string,
    now: Date,
  ): Promise<string | null> {
    const [event] = await tx.query<{ type: string; occurredAt: string }[]>(
      `SELECT type, occurred_at::text AS "occurredAt" FROM webhook_event WHERE account_id = $1 AND id = $2`,
      [accountId, eventId],
    );
    if (!event) return null;
    await tx.query(
      `INSERT INTO webhook_delivery (account_id, webhook_id, event_id, occurred_at, due_at)
       VALUES ($2, $3, $4, $5, $1)
       ON CONFLICT (account_id, webhook_id, event_id) DO UPDATE SET ${sentAnew}`,
      [now, accountId, webhookId, eventId, event.occurredAt],
    );
    return event.type;
  }

  /** Lists the event types of deliveries with this final status. Reads only the given period. */
  async listTypes(
    tx: EntityManager,
    { accountId, webhookId }: WebhookRef,
    status: 'failed' | 'delivered',
    { since, until }: Replayed,
  ): Promise<string[]> {
    const rows = await tx.query<{ type: string }[]>(
      `SELECT DISTINCT e.type FROM webhook_delivery d
         JOIN webhook_event e ON e.account_id = $1 AND e.id = d.event_id
       WHERE d.account_id = $1 AND d.webhook_id = $2 AND d.occurred_at >= $3 AND d.occurred_at < $4
         AND ${conditions[status]}`,
      [accountId, webhookId, since, until],
    );
    return rows.map(({ type }) => type);
  }

  /**
   * Replays deliveries with this final status, if their events are still stored. @returns the number of replayed
   * deliveries
   */
  async replayEnded(
    tx: EntityManager,
    { accountId, webhookId }: WebhookRef,
    status: 'failed' | 'delivered',
    { since, until, limit }: Replayed,
    now: Date,
  ): Promise<number> {
    const [, count] = await tx.query<[unknown[], number]>(
      `UPDATE webhook_delivery SET ${sentAnew} WHERE account_id = $2 AND webhook_id = $3 AND event_id = ANY (ARRAY(
         SELECT d.event_id FROM webhook_delivery d
         WHERE account_id = $2 AND webhook_id = $3 AND occurred_at >= $4 AND occurred_at < $5 AND ${conditions[status]}
           AND EXISTS (SELECT FROM webhook_event e WHERE e.account_id = $2 AND e.id = d.event_id)
         LIMIT $6))`,
      [now, accountId, webhookId, since, until, limit],
    );
    return count;
  }

  /**
   * Adds deliveries for events that were never sent to the webhook. @param types null for all types. @returns the
   * number of deliveries
   */
  async addMissed(
    tx: EntityManager,
    { accountId, webhookId }: WebhookRef,
    types: readonly string[] | null,
    { since, until, limit }: Replayed,
    now: Date,
  ): Promise<number> {
    const [row] = await tx.query<{ count: number }[]>(
      `WITH added AS (
         INSERT INTO webhook_delivery (account_id, webhook_id, event_id, occurred_at, due_at)
         SELECT $2, $3, id, occurred_at, $1 FROM webhook_event e
         WHERE account_id = $2 AND occurred_at >= $4 AND occurred_at < $5 AND ($6::text[] IS NULL OR type = ANY ($6))
           AND NOT EXISTS (SELECT FROM webhook_delivery d
             WHERE d.account_id = $2 AND d.webhook_id = $3 AND d.event_id = e.id)
         LIMIT $7
         ON CONFLICT DO NOTHING RETURNING 1
       ) SELECT count(*)::int AS count FROM added`,
      [now, accountId, webhookId, since, until, types, limit],
    );
    return row?.count ?? 0;
  }
}
