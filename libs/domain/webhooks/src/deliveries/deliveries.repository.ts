import { Injectable } from '@nestjs/common';
import { Database } from '@passwright/database';
import { CLAIMS_GIVEN_BACK, isSuspect, Jobs, SUSPECT_PAUSE_MS } from '@passwright/jobs';
import type { EntityManager } from 'typeorm';
import type { Webhook } from '../webhooks/webhook.entity.js';
import type { WebhookRef } from '../webhooks/webhooks.jobs.js';
import { SuspectDeliveries } from './deliveries.jobs.js';

/** A webhook as a turn needs it. */
export type SendingWebhook = Pick<
  Webhook,
  'accountId' | 'id' | 'url' | 'secret' | 'previousSecret' | 'previousSecretUntil' | 'disabledAt' | 'failingSince'
> & { readonly heldUntil: Date | null };

/** A delivery that nobody else sends until its claim ends. */
export interface ClaimedDelivery {
  readonly eventId: string;
  readonly attempts: number;
  /** When it was due. */
  readonly dueAt: Date;
  /** Null when the event is not kept any more. */
  readonly type: string | null;
  readonly occurredAt: Date;
  readonly data: Record<string, unknown> | null;
}

type ClaimedRow = ClaimedDelivery & { readonly openClaims: number };

interface Claim {
  readonly now: Date;
  /** Time at which the deliveries are due again, unless a result is recorded before. */
  readonly until: Date;
}

/** What has become of a claimed delivery. */
export interface DeliveryRecord {
  readonly eventId: string;
  readonly attempts: number;
  /** When it is tried next; null: it has arrived, or is given up. */
  readonly dueAt: Date | null;
  /** Null: it was not tried. */
  readonly attemptedAt: Date | null;
  readonly arrived: boolean;
  readonly statusCode: number | null;
  readonly problem: string | null;
}

/** @param dueAt when one is due that is given back. @param choice of keys, by `$3` and `$5`. Until `$4` they are due for no other process. */
const claiming = (dueAt: string, choice: string) => `
  WITH due AS (
    SELECT event_id, ${dueAt} AS due_at FROM webhook_delivery
    WHERE account_id = $1 AND webhook_id = $2 AND ${choice} FOR UPDATE SKIP LOCKED
  )
  UPDATE webhook_delivery d SET due_at = $4, open_claims = least(d.open_claims + 1, 100)
  FROM due LEFT JOIN webhook_event e ON e.account_id = $1 AND e.id = due.event_id
  WHERE d.account_id = $1 AND d.webhook_id = $2 AND d.event_id = due.event_id
  RETURNING d.event_id AS "eventId", d.attempts, due.due_at AS "dueAt", d.open_claims AS "openClaims", e.type,
    d.occurred_at AS "occurredAt", e.data`;

/** Claims the deliveries that have waited longest. */
export const claimSql = claiming('due_at', 'due_at <= $3 ORDER BY due_at LIMIT $5');

const claimTheseSql = claiming('least(due_at, $3::timestamptz)', 'event_id = ANY ($5::text[]) AND due_at IS NOT NULL');

const putOffSql = `
  UPDATE webhook_delivery SET due_at = $4 WHERE account_id = $1 AND webhook_id = $2 AND event_id = ANY ($3::text[])`;

const giveBackSql = `
  UPDATE webhook_delivery SET due_at = least(due_at, $4), open_claims = ${CLAIMS_GIVEN_BACK}
  WHERE account_id = $1 AND webhook_id = $2 AND event_id = ANY ($3::text[]) AND due_at IS NOT NULL
    AND open_claims > ${CLAIMS_GIVEN_BACK}`;

const uncountSql = `
  UPDATE webhook_delivery SET open_claims = greatest(open_claims - 1, 0)
  WHERE account_id = $1 AND webhook_id = $2 AND event_id = ANY ($3::text[]) AND due_at = $4`;

/** What has become of those that were claimed until `$3`. */
export const recordSql = `
  UPDATE webhook_delivery d
  SET attempts = r.attempts, due_at = r."dueAt", open_claims = 0, attempted_at = coalesce(r."attemptedAt", d.attempted_at),
    delivered_at = CASE WHEN r.arrived THEN r."attemptedAt" END,
    status_code = CASE WHEN r."attemptedAt" IS NULL THEN d.status_code ELSE r."statusCode" END,
    problem = CASE WHEN r."attemptedAt" IS NULL AND r.problem IS NULL THEN d.problem ELSE r.problem END
  FROM jsonb_to_recordset($4::jsonb) AS r ("eventId" text, attempts int, "dueAt" timestamptz,
    "attemptedAt" timestamptz, arrived boolean, "statusCode" int, problem text)
  WHERE d.account_id = $1 AND d.webhook_id = $2 AND d.event_id = r."eventId" AND d.due_at = $3`;

const webhookSql = `
  SELECT account_id AS "accountId", id, url, secret, previous_secret AS "previousSecret",
    previous_secret_until AS "previousSecretUntil", disabled_at AS "disabledAt",
    failing_since AS "failingSince", held_until AS "heldUntil"
  FROM webhook WHERE account_id = $1 AND id = $2`;

/** What is on its way. The list and the replays are the accounts', see `DeliveryListRepository`. */
@Injectable()
export class DeliveriesRepository {
  constructor(
    private readonly database: Database,
    private readonly jobs: Jobs,
  ) {}

  async findWebhook({ accountId, webhookId }: WebhookRef): Promise<SendingWebhook | null> {
    const values = [accountId, webhookId];
    const [row] = await this.database.lookUp<SendingWebhook>('webhook-to-send', webhookSql, values);
    return row ?? null;
  }

  /** As it is now, locked until the transaction ends; null when it is gone. Before its deliveries, as whoever deletes it has it. */
  async lockWebhook(tx: EntityManager, { accountId, webhookId }: WebhookRef): Promise<SendingWebhook | null> {
    const values = [accountId, webhookId];
    const sql = `${webhookSql} FOR NO KEY UPDATE`;
    const [row] = await this.database.prepared<SendingWebhook>(tx, 'webhook-to-note', sql, values);
    return row ?? null;
  }

  /**
   * Claims the deliveries that are due, those that have waited longest first. Those that may end their process are left to a
   * job of their own.
   */
  async claim(
    tx: EntityManager,
    ref: WebhookRef,
    { now, until, limit }: Claim & { readonly limit: number },
  ): Promise<ClaimedDelivery[]> {
    const values = [ref.accountId, ref.webhookId, now, until, limit];
    const page = await this.database.prepared<ClaimedRow>(tx, 'webhook-deliveries-claim', claimSql, values);
    const suspects = page.filter(isSuspect);
    if (suspects.length > 0) await this.leaveAlone(tx, ref, suspects, now);
    return page.filter((delivery) => !isSuspect(delivery));
  }

  /** Claims these deliveries, due or not, however often their process has died. */
  async claimThese(
    tx: EntityManager,
    { accountId, webhookId }: WebhookRef,
    { now, until, eventIds }: Claim & { readonly eventIds: readonly string[] },
  ): Promise<ClaimedDelivery[]> {
    const [rows] = await tx.query<[ClaimedRow[], number]>(claimTheseSql, [accountId, webhookId, now, until, eventIds]);
    return rows;
  }

  /** Leaves deliveries that a lone job could not send to the next claim. */
  async giveBack({ accountId, webhookId }: WebhookRef, eventIds: readonly string[], now: Date): Promise<void> {
    await this.database.transaction((tx) => tx.query(giveBackSql, [accountId, webhookId, eventIds, now]));
  }

  /** Takes a claim out of the count of deaths, once the database is there: its process lives, and could not record it. */
  uncount({ accountId, webhookId }: WebhookRef, until: Date, claimed: readonly ClaimedDelivery[]): void {
    const eventIds = claimed.map(({ eventId }) => eventId);
    this.database.eventually((tx) => tx.query(uncountSql, [accountId, webhookId, eventIds, until]));
  }

  private async leaveAlone(
    tx: EntityManager,
    { accountId, webhookId }: WebhookRef,
    suspects: readonly ClaimedRow[],
    now: Date,
  ): Promise<void> {
    const ids = suspects.map(({ eventId }) => eventId);
    await tx.query(putOffSql, [accountId, webhookId, ids, new Date(now.getTime() + SUSPECT_PAUSE_MS)]);
    await this.jobs.addSuspects(tx, new SuspectDeliveries({ accountId, webhookId, ids }));
  }

  /** In one statement. One that was replayed or deleted meanwhile, or whose claim has ended, is left as it is. */
  async record(
    tx: EntityManager,
    { accountId, webhookId }: WebhookRef,
    until: Date,
    records: readonly DeliveryRecord[],
  ): Promise<void> {
    await tx.query(recordSql, [accountId, webhookId, until, JSON.stringify(records)]);
  }

  /** When something of a webhook is due next. */
  async nextDue({ accountId, webhookId }: WebhookRef): Promise<Date | null> {
    const [row] = await this.database.lookUp<{ at: Date | null }>(
      'webhook-next-due',
      'SELECT min(due_at) AS at FROM webhook_delivery WHERE account_id = $1 AND webhook_id = $2 AND due_at IS NOT NULL',
      [accountId, webhookId],
    );
    return row?.at ?? null;
  }

  /** The webhooks of these accounts that have something due before `before`, and when. */
  async listDueOf(
    tx: EntityManager,
    accountIds: readonly string[],
    before: Date,
  ): Promise<(WebhookRef & { readonly dueAt: Date })[]> {
    return this.database.prepared(
      tx,
      'webhooks-due-of-accounts',
      `SELECT w.account_id AS "accountId", w.id AS "webhookId", greatest(d.due_at, w.held_until) AS "dueAt"
       FROM webhook w CROSS JOIN LATERAL (
         SELECT min(due_at) AS due_at FROM webhook_delivery
         WHERE account_id = w.account_id AND webhook_id = w.id AND due_at IS NOT NULL) AS d
       WHERE w.account_id = ANY ($1) AND w.disabled_at IS NULL AND w.url IS NOT NULL AND greatest(d.due_at, w.held_until) <= $2
         AND d.due_at IS NOT NULL`,
      [accountIds, before],
    );
  }

  /** Webhooks of all accounts that have something due. @param after the one to go on from */
  listDue(now: Date, after: WebhookRef, limit: number): Promise<WebhookRef[]> {
    return this.database.reads.query(
      `SELECT account_id AS "accountId", id AS "webhookId" FROM webhook w
       WHERE (account_id, id) > ($2, $3) AND disabled_at IS NULL AND url IS NOT NULL
         AND (held_until IS NULL OR held_until <= $1)
         AND EXISTS (SELECT FROM webhook_delivery d
           WHERE d.account_id = w.account_id AND d.webhook_id = w.id AND d.due_at <= $1)
       ORDER BY account_id, id LIMIT $4`,
      [now, after.accountId, after.webhookId, limit],
    );
  }

  /** What a turn has found out of a webhook. Call it with the row locked. */
  async updateHealth(
    tx: EntityManager,
    { accountId, id }: SendingWebhook,
    health: { readonly failingSince: Date | null; readonly heldUntil: Date | null },
  ): Promise<void> {
    await tx.query('UPDATE webhook SET failing_since = $3, held_until = $4 WHERE account_id = $1 AND id = $2', [
      accountId,
      id,
      health.failingSince,
      health.heldUntil,
    ]);
  }

  /** Call it with the row locked. */
  async disable(
    tx: EntityManager,
    { accountId, id }: SendingWebhook,
    { now, because }: { readonly now: Date; readonly because: string },
  ): Promise<void> {
    await tx.query('UPDATE webhook SET disabled_at = $3, disabled_because = $4 WHERE account_id = $1 AND id = $2', [
      accountId,
      id,
      now,
      because,
    ]);
  }
}
