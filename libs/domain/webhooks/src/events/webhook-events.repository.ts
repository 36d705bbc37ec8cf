import { Injectable } from '@nestjs/common';
import { NotReady } from '@passwright/core';
import { Database, perAccount } from '@passwright/database';
import type { EntityManager } from 'typeorm';
import { CursorOfLostHistory, type EventPosition } from './event-cursor.js';
import type { WebhookEvent } from './webhook-event.entity.js';

/** Maximum number of events that one page examines. Most of them may have types that the webhook does not receive. */
export const LOOKED_AT = 2000;

/** The criteria of the events to read. */
export interface Reading {
  readonly accountId: string;
  readonly webhookId: string;
  readonly limit: number;
  /** Where to begin if there is no position. */
  readonly beginning: 'oldest' | 'now';
  /** Events before this time are omitted. */
  readonly since: Date;
}

/** Some of a webhook's events, and the position after them. */
export interface EventsRead {
  /** The event types of the webhook; null for all types. */
  readonly types: readonly string[] | null;
  readonly events: Omit<WebhookEvent, 'accountId'>[];
  readonly next: Omit<EventPosition, 'readUntil'>;
  /** The time of the last examined event, even if the webhook does not receive it; null at the end of the list. */
  readonly lastAt: Date | null;
}

/** A request that waits for events. */
export type Awaited = Pick<EventPosition, 'recordedIn' | 'position'> & { readonly accountId: string };

/*
 * Reads only events of transactions that are older than every open transaction, because transactions commit in any
 * order and an open one may still add events (docs/decisions/0009). Ignores a position with another `epoch`, which is
 * from before a restore or failover of the database.
 */
export const pageSql = `
  WITH now AS MATERIALIZED (
    SELECT pg_snapshot_xmin(pg_current_snapshot()) AS settled, history_epoch() AS epoch
  ), start AS MATERIALIZED (
    SELECT settled, epoch,
      CASE WHEN $4 = epoch THEN $5::xid8 WHEN $6 = 'now' THEN settled ELSE '0'::xid8 END AS recorded_in,
      CASE WHEN $4 = epoch THEN $7::bigint ELSE 0 END AS position
    FROM now
  )
  SELECT w.types, start.settled::text, start.epoch, start.recorded_in::text AS begun_in, start.position::text AS begun_at,
    e.id, e.type, e.occurred_at, e.data, e.recorded_in::text, e.position::text
  FROM webhook w CROSS JOIN start LEFT JOIN LATERAL (
    SELECT * FROM (
      SELECT * FROM webhook_event e
      WHERE e.account_id = $1 AND (e.recorded_in, e.position) > (start.recorded_in, start.position)
        AND e.recorded_in < start.settled AND e.occurred_at >= $8
      ORDER BY e.recorded_in, e.position LIMIT ${LOOKED_AT}
    ) AS looked_at
    WHERE (w.types IS NULL OR type = ANY (w.types))
    ORDER BY recorded_in, position LIMIT $3
  ) AS e ON true
  WHERE w.account_id = $1 AND w.id = $2
  ORDER BY e.recorded_in, e.position`;

/**
 * Finds the last event that the query of a page has examined, if more events may follow. Both queries ignore events
 * that the clean-up may delete in between. `ORDER BY` uses the columns of the table, because as text, '999' sorts after
 * '1000'.
 */
export const lookedAtSql = `
  SELECT e.occurred_at, e.recorded_in::text, e.position::text FROM webhook_event e
  WHERE e.account_id = $1 AND (e.recorded_in, e.position) > ($2::xid8, $3::bigint) AND e.recorded_in < $4::xid8
    AND e.occurred_at >= $5
  ORDER BY e.recorded_in, e.position OFFSET ${LOOKED_AT - 1} LIMIT 1`;

/**
 * Finds the readers whose account has unread events. `ORDER BY … LIMIT 1` makes Postgres read the index of each
 * partition; with EXISTS, it would scan partitions.
 */
export const newsSql = `
  SELECT n - 1 AS n FROM unnest($1::text[], $2::xid8[], $3::bigint[]) WITH ORDINALITY AS k(account_id, recorded_in, position, n)
  CROSS JOIN LATERAL (
    SELECT FROM webhook_event e
    WHERE e.account_id = k.account_id AND (e.recorded_in, e.position) > (k.recorded_in, k.position)
      AND e.recorded_in < pg_snapshot_xmin(pg_current_snapshot())
    ORDER BY e.recorded_in, e.position LIMIT 1
  ) AS next`;

/**
 * Finds deleted webhooks that still have deliveries, because they had too many or got some during their deletion. Jumps
 * from one webhook to the next in the index.
 */
export const goneSql = `
  WITH RECURSIVE addressed AS (
    (SELECT account_id, webhook_id FROM webhook_delivery ORDER BY account_id, webhook_id LIMIT 1)
    UNION ALL
    SELECT next.account_id, next.webhook_id FROM addressed CROSS JOIN LATERAL (
      SELECT d.account_id, d.webhook_id FROM webhook_delivery d
      WHERE (d.account_id, d.webhook_id) > (addressed.account_id, addressed.webhook_id)
      ORDER BY d.account_id, d.webhook_id LIMIT 1
    ) AS next
  )
  SELECT account_id AS "accountId", webhook_id AS "webhookId" FROM addressed a
  WHERE NOT EXISTS (SELECT FROM webhook w WHERE w.account_id = a.account_id AND w.id = a.webhook_id)`;

/** Replaces `goneSql` on Citus, which rejects recursive statements over several servers. */
const goneOnCitusSql = `
  SELECT d.account_id AS "accountId", d.webhook_id AS "webhookId"
  FROM webhook_delivery d LEFT JOIN webhook w ON w.account_id = d.account_id AND w.id = d.webhook_id
  WHERE w.id IS NULL GROUP BY d.account_id, d.webhook_id`;

/**
 * Replaces transaction numbers that are ahead of this server with the number of this transaction, and keeps the order
 * of the events. After a restore from another server, readers would get events with such numbers late or never.
 */
const renumberSql = `
  WITH ahead AS MATERIALIZED (
    SELECT account_id, id FROM webhook_event WHERE account_id = $1 AND recorded_in > pg_current_xact_id()
    ORDER BY recorded_in, position LIMIT $2
  ), renumbered AS (
    UPDATE webhook_event e SET recorded_in = pg_current_xact_id() FROM ahead
    WHERE e.account_id = $1 AND e.id = ahead.id RETURNING e.id
  )
  SELECT count(*)::int AS renumbered FROM renumbered`;

/** Deletes by an array of keys, so that the plan uses the primary key even with old statistics. */
export const deleteDeliveriesSql = `
  DELETE FROM webhook_delivery WHERE account_id = $1 AND webhook_id = $2 AND event_id = ANY (ARRAY(
    SELECT event_id FROM webhook_delivery WHERE account_id = $1 AND webhook_id = $2 LIMIT $3))`;

/** A deleted webhook. */
export interface GoneWebhook {
  readonly accountId: string;
  readonly webhookId: string;
}

interface Row {
  readonly types: string[] | null;
  readonly settled: string;
  /** The epoch of the database; null on a standby. */
  readonly epoch: string | null;
  readonly begun_in: string;
  readonly begun_at: string;
  readonly id: string | null;
  readonly type: string;
  readonly occurred_at: Date;
  readonly data: Record<string, unknown>;
  readonly recorded_in: string;
  readonly position: string;
}

/** All queries on the table `webhook_event`, except those for deliveries. */
@Injectable()
export class WebhookEventsRepository {
  constructor(private readonly database: Database) {}

  /**
   * Reads the next events after a position, in the order that all readers share. @returns null if the webhook does not
   * exist
   * @throws CursorOfLostHistory. @throws NotReady on a standby, because its snapshots do not show open transactions
   */
  async read(
    { accountId, webhookId, limit, beginning, since }: Reading,
    after: EventPosition | null,
  ): Promise<EventsRead | null> {
    const position = [after?.epoch ?? null, after?.recordedIn ?? null, beginning, after?.position ?? null];
    const values = [accountId, webhookId, limit, ...position, since];
    const rows = await this.database.lookUp<Row>('webhook-events', pageSql, values);
    const [first] = rows;
    if (!first) return null;
    const { epoch, settled } = first;
    if (epoch === null) throw new NotReady('The database is a standby that cannot tell what has happened; try again.');
    if (after && (after.epoch !== epoch || isAhead(after, settled))) throw new CursorOfLostHistory();
    const found = rows.filter(({ id }) => id !== null);
    const last = found.length === limit ? found.at(-1) : await this.lastLookedAt(accountId, first, since);
    const next = last
      ? { epoch, recordedIn: last.recorded_in, position: last.position }
      : { epoch, recordedIn: settled, position: '0' };
    return { types: first.types, events: found.map(toEvent), next, lastAt: last?.occurred_at ?? null };
  }

  /** Returns the indexes of the waiting requests that have unread events. */
  async withNews(waiting: readonly Awaited[]): Promise<number[]> {
    const indexed = waiting.map((each, index) => ({ ...each, index }));
    return perAccount(this.database, indexed, async (some, write) => {
      const columns = [
        some.map(({ accountId }) => accountId),
        some.map(({ recordedIn }) => recordedIn),
        some.map(({ position }) => position),
      ];
      const rows = await this.database.lookUp<{ n: string }>('webhook-news', write(newsSql), columns);
      return rows.flatMap(({ n }) => some[Number(n)]?.index ?? []);
    });
  }

  /** Renumbers the oldest of an account's events that are ahead of this server. @returns the number of events */
  async renumber(tx: EntityManager, accountId: string, limit: number): Promise<number> {
    const [row] = await tx.query<{ renumbered: number }[]>(renumberSql, [accountId, limit]);
    return row?.renumbered ?? 0;
  }

  /** Returns the first account after `accountId` that has a webhook. */
  async accountAfter(tx: EntityManager, accountId: string): Promise<string | null> {
    const sql = 'SELECT account_id FROM webhook WHERE account_id > $1 ORDER BY account_id LIMIT 1';
    const [row] = await tx.query<{ account_id: string }[]>(sql, [accountId]);
    return row?.account_id ?? null;
  }

  /** Lists deleted webhooks that still have deliveries. */
  listGone(): Promise<GoneWebhook[]> {
    return this.database.reads.query(this.database.isDistributed ? goneOnCitusSql : goneSql);
  }

  /** @returns the number of deleted deliveries */
  async deleteDeliveries(tx: EntityManager, { accountId, webhookId }: GoneWebhook, limit: number): Promise<number> {
    const [, count] = await tx.query<[unknown[], number]>(deleteDeliveriesSql, [accountId, webhookId, limit]);
    return count;
  }

  /**
   * Returns the time and the position of the last event that the page examined. Uses the same upper limit as the query
   * of the page.
   */
  private async lastLookedAt(
    accountId: string,
    { begun_in, begun_at, settled }: Row,
    since: Date,
  ): Promise<Pick<Row, 'occurred_at' | 'recorded_in' | 'position'> | undefined> {
    const values = [accountId, begun_in, begun_at, settled, since];
    const [row] = await this.database.lookUp<Row>('webhook-events-looked-at', lookedAtSql, values);
    return row;
  }
}

/**
 * Returns true if the cursor is newer than the database, which has then lost changes. Compares transaction numbers,
 * because the `epoch` may be the same after a crash or rollback.
 */
function isAhead({ recordedIn }: EventPosition, settled: string): boolean {
  return BigInt(recordedIn) > BigInt(settled);
}

function toEvent({ id, type, occurred_at: occurredAt, data }: Row): EventsRead['events'][number] {
  return { id: id ?? '', type, occurredAt, data };
}
