import { Injectable } from '@nestjs/common';
import { Database } from '@passwright/database';
import { Claimant, CLAIMS_GIVEN_BACK, hasDied, isSuspect, Jobs, SUSPECT_PAUSE_MS, whichDied } from '@passwright/jobs';
import type { EntityManager } from 'typeorm';
import { WebhookDue, type WebhookRef } from '../webhooks/webhooks.jobs.js';
import { SuspectDeliveries } from './deliveries.jobs.js';

/** A delivery that no other process sends until its claim ends. */
export interface ClaimedDelivery {
  readonly eventId: string;
  readonly attempts: number;
  /** The time at which the delivery was due before the claim. */
  readonly dueAt: Date;
  /** The type of the event; null if the event is no longer stored. */
  readonly type: string | null;
  readonly occurredAt: Date;
  readonly data: Record<string, unknown> | null;
}

type ClaimedRow = ClaimedDelivery & { readonly openClaims: number };

interface Claim {
  readonly now: Date;
  /** When the claim expires and the deliveries are due again. */
  readonly until: Date;
}

/** The result of a claimed delivery. */
export interface DeliveryRecord {
  readonly eventId: string;
  readonly attempts: number;
  /** When the delivery is retried; null if it has succeeded or failed permanently. */
  readonly dueAt: Date | null;
  /** The time of the attempt; null if there was no attempt. */
  readonly attemptedAt: Date | null;
  readonly arrived: boolean;
  readonly statusCode: number | null;
  readonly problem: string | null;
}

/**
 * Builds SQL that claims deliveries for the process `$6` until `$4`. Other processes can claim them earlier only if
 * this process crashes.
 * @param dueAt an SQL expression for the due time of a delivery before the claim
 * @param choice the end of the WHERE clause, which selects deliveries; it may use `$3` and `$5`
 */
const claiming = (dueAt: string, choice: string) => `
  WITH due AS (
    SELECT event_id, ${dueAt} AS due_at FROM webhook_delivery
    WHERE account_id = $1 AND webhook_id = $2 AND ${choice} FOR UPDATE SKIP LOCKED
  )
  UPDATE webhook_delivery d SET due_at = $4, claimed_by = $6, open_claims = least(d.open_claims + 1, 100)
  FROM due LEFT JOIN webhook_event e ON e.account_id = $1 AND e.id = due.event_id
  WHERE d.account_id = $1 AND d.webhook_id = $2 AND d.event_id = due.event_id
  RETURNING d.event_id AS "eventId", d.attempts, due.due_at AS "dueAt", d.open_claims AS "openClaims", e.type,
    d.occurred_at AS "occurredAt", e.data`;

/** Claims the deliveries that have waited longest. */
export const claimSql = claiming('due_at', 'due_at <= $3 ORDER BY due_at LIMIT $5');

const claimTheseSql = claiming('least(due_at, $3::timestamptz)', 'event_id = ANY ($5::text[]) AND due_at IS NOT NULL');

const putOffSql = `
  UPDATE webhook_delivery SET due_at = $4, claimed_by = NULL
  WHERE account_id = $1 AND webhook_id = $2 AND event_id = ANY ($3::text[])`;

const giveBackSql = `
  UPDATE webhook_delivery SET due_at = least(due_at, $4), open_claims = ${CLAIMS_GIVEN_BACK}
  WHERE account_id = $1 AND webhook_id = $2 AND event_id = ANY ($3::text[]) AND due_at IS NOT NULL
    AND open_claims > ${CLAIMS_GIVEN_BACK}`;

const releaseSql = `
  UPDATE webhook_delivery SET claimed_by = NULL, open_claims = greatest(open_claims - 1, 0), due_at = LEAST(due_at, $5::timestamptz)
  WHERE account_id = $1 AND webhook_id = $2 AND event_id = ANY ($3::text[]) AND due_at = $4`;

/** Ends the claims of crashed processes. An index finds the claims of a webhook by their end. */
const endDeadClaimsSql = `
  UPDATE webhook_delivery d SET due_at = $1, claimed_by = NULL
  FROM webhook w CROSS JOIN LATERAL (
    SELECT event_id FROM webhook_delivery
    WHERE account_id = w.account_id AND webhook_id = w.id AND due_at > $1 AND due_at <= $2
      AND open_claims > 0 AND ${hasDied('claimed_by')}
    FOR NO KEY UPDATE SKIP LOCKED) AS held
  WHERE d.account_id = w.account_id AND d.webhook_id = w.id AND d.event_id = held.event_id`;

const openClaims = 'due_at > $1 AND due_at <= $2 AND open_claims > 0';
/** Lists the processes that hold claims, on Citus. Only the coordinator knows whether they are still running. */
const claimantsSql = `SELECT DISTINCT claimed_by AS key FROM webhook_delivery WHERE ${openClaims} AND claimed_by IS NOT NULL`;
const endClaimsOfSql = `
  UPDATE webhook_delivery SET due_at = $1, claimed_by = NULL WHERE ${openClaims} AND claimed_by = ANY ($3::int[])`;

/** Records the results of deliveries that were claimed until `$3`. */
export const recordSql = `
  UPDATE webhook_delivery d
  SET attempts = r.attempts, due_at = r."dueAt", claimed_by = NULL, open_claims = 0, attempted_at = coalesce(r."attemptedAt", d.attempted_at),
    delivered_at = CASE WHEN r.arrived THEN r."attemptedAt" END,
    status_code = CASE WHEN r."attemptedAt" IS NULL THEN d.status_code ELSE r."statusCode" END,
    problem = CASE WHEN r."attemptedAt" IS NULL AND r.problem IS NULL THEN d.problem ELSE r.problem END
  FROM jsonb_to_recordset($4::jsonb) AS r ("eventId" text, attempts int, "dueAt" timestamptz,
    "attemptedAt" timestamptz, arrived boolean, "statusCode" int, problem text)
  WHERE d.account_id = $1 AND d.webhook_id = $2 AND d.event_id = r."eventId" AND d.due_at = $3`;

/**
 * Claims pending deliveries and records their results. `SendingWebhooksRepository` finds the webhooks with due
 * deliveries, and `DeliveryListRepository` lists and replays deliveries for accounts.
 */
@Injectable()
export class DeliveriesRepository {
  constructor(
    private readonly database: Database,
    private readonly jobs: Jobs,
    private readonly claimant: Claimant,
  ) {}

  /** Claims the due deliveries that have waited longest. Skips deliveries that may crash the process. */
  async claim(
    tx: EntityManager,
    ref: WebhookRef,
    { now, until, limit }: Claim & { readonly limit: number },
  ): Promise<ClaimedDelivery[]> {
    const values = [ref.accountId, ref.webhookId, now, until, limit, this.claimant.key];
    const page = await this.database.prepared<ClaimedRow>(tx, 'webhook-deliveries-claim', claimSql, values);
    const suspects = page.filter(isSuspect);
    if (suspects.length > 0) await this.leaveAlone(tx, ref, suspects, now);
    return page.filter((delivery) => !isSuspect(delivery));
  }

  /** Claims these deliveries, even if they are not due or have crashed processes. */
  async claimThese(
    tx: EntityManager,
    { accountId, webhookId }: WebhookRef,
    { now, until, eventIds }: Claim & { readonly eventIds: readonly string[] },
  ): Promise<ClaimedDelivery[]> {
    const values = [accountId, webhookId, now, until, eventIds, this.claimant.key];
    const [rows] = await tx.query<[ClaimedRow[], number]>(claimTheseSql, values);
    return rows;
  }

  /** Releases deliveries that a `SuspectDeliveries` job could not send, so that the next claim can take them. */
  async giveBack({ accountId, webhookId }: WebhookRef, eventIds: readonly string[], now: Date): Promise<void> {
    await this.database.transaction((tx) => tx.query(giveBackSql, [accountId, webhookId, eventIds, now]));
  }

  /**
   * Releases claims whose results this process could not record, once the database is available again. The claims then
   * do not count as crashes. @param at when the deliveries are due again; null to let the claims expire
   */
  release(ref: WebhookRef, until: Date, claimed: readonly ClaimedDelivery[], at: Date | null): void {
    if (claimed.length === 0) return;
    const values = [ref.accountId, ref.webhookId, claimed.map(({ eventId }) => eventId), until, at];
    this.database.eventually(async (tx) => {
      const [, released] = await tx.query<[unknown, number]>(releaseSql, values);
      if (at && released > 0) await this.jobs.add(tx, new WebhookDue(ref, at));
    });
  }

  /**
   * Ends the claims of crashed processes, so that their deliveries are due again. @param until the latest time at which
   * a claim can end
   */
  async endDeadClaims(now: Date, until: Date): Promise<void> {
    const times = [now, until];
    if (!this.database.isDistributed) return this.database.transaction((tx) => tx.query(endDeadClaimsSql, times));
    const { reads } = this.database;
    const claimants = await reads.query<{ key: number }[]>(claimantsSql, times);
    const dead = await whichDied(
      reads,
      claimants.map(({ key }) => key),
    );
    if (dead.length > 0) await this.database.transaction((tx) => tx.query(endClaimsOfSql, [...times, dead]));
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

  /**
   * Records results in one statement. Skips deliveries that were replayed or deleted in the meantime, and deliveries
   * whose claim has expired.
   */
  async record(
    tx: EntityManager,
    { accountId, webhookId }: WebhookRef,
    until: Date,
    records: readonly DeliveryRecord[],
  ): Promise<void> {
    await tx.query(recordSql, [accountId, webhookId, until, JSON.stringify(records)]);
  }
}
