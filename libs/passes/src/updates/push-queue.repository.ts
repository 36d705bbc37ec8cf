import { Injectable } from '@nestjs/common';
import { Database } from '@passwright/database';
import type { EntityManager } from 'typeorm';
import { isDeviceBehind } from '../devices/current-version.js';
import { namedIn } from './named-devices.js';
import { forgivenFailures, type PushPacing } from './push-pacing.js';
import { pageSize } from './push-page.entity.js';
import type { ClaimedDevice } from './push-settlement.js';

/** How long devices that were claimed are nobody else's. After a crash they are looked at again then. */
export const leaseSeconds = 60;
/** The shortest time after which a device is looked at again that another claim has in hand. */
const inHandSeconds = 1;

/** Whose devices are pushed. */
export interface PushedAccount {
  readonly accountId: string;
  /** Of its present certificate: no other device can fetch, or be pushed. */
  readonly passTypeIdentifier: string;
}

/** Devices that were looked at. */
export interface ClaimedPage {
  /** 0: none is due. */
  readonly looked: number;
  /** Those of them that are to be pushed. */
  readonly devices: readonly ClaimedDevice[];
}

interface TakenRow {
  readonly claim: string;
  readonly looked: number;
}

interface LookedRow {
  readonly id: string;
  readonly push_token: string;
  /** Seconds. */
  readonly pushed_at: number | null;
  readonly attempts: number;
  readonly failures: number;
  readonly bad_tokens: number;
  /** Whether it has to be told of something. */
  readonly outdated: boolean;
  /** Until when that has to wait; null if it has not. */
  readonly later: Date | null;
  readonly since: string;
}

/** Which devices of an account are to be looked at, and when: the table `apple_push_page`. */
@Injectable()
export class PushQueueRepository {
  constructor(private readonly database: Database) {}

  /**
   * Claims the pages that are due, the longest waiting first, of `size` devices in all or one page, for `leaseSeconds`, and
   * looks at their devices: one that holds the current version of all its passes is done, and so is one of another pass
   * type than the sender's, or that was pushed since; one that may not be pushed yet, or is in hand, waits in a page of its
   * own; the others are to be pushed. Nothing is written of these: until their push is recorded the claimed page stands for
   * them.
   */
  async claim(
    tx: EntityManager,
    { accountId, passTypeIdentifier }: PushedAccount,
    size: number,
    now: Date,
    pacing: PushPacing,
  ): Promise<ClaimedPage> {
    const later = (seconds: number) => new Date(now.getTime() + seconds * 1000);
    // One claim sees what the one before it has in hand.
    await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended($1, 0))`, [`apple-push ${accountId}`]);
    const taking = [accountId, now, size, later(leaseSeconds)];
    const [taken] = await this.database.prepared<TakenRow>(tx, 'push-take', takeSql, taking);
    if (!taken || taken.looked === 0) return { looked: 0, devices: [] };
    const { claim, looked } = taken;
    const looking = [accountId, claim, now, later(Math.max(inHandSeconds, pacing.windowSeconds)), passTypeIdentifier];
    const rows = await this.database.prepared<LookedRow>(tx, 'push-look', lookSql, looking);
    const isToPush = ({ outdated, later }: LookedRow) => outdated && later === null;
    await this.passOver(
      tx,
      accountId,
      rows.filter((row) => !isToPush(row)),
    );
    const devices = rows.filter(isToPush).map((row) => toDevice(row, claim, now));
    const ids = devices.map(({ id }) => id);
    // Of what else was in its pages others are in charge. They must not believe that it is in hand.
    if (ids.length < looked) await this.narrow(tx, accountId, claim, ids);
    return { looked, devices };
  }

  /** Ends a claim. @param left those of its devices that were not pushed after all: others may claim them at once */
  async end(tx: EntityManager, accountId: string, claim: string, left: readonly string[], now: Date): Promise<void> {
    await this.narrow(tx, accountId, claim, left);
    if (left.length > 0) await tx.query(leaveSql, [accountId, claim, now]);
  }

  /** Leaves in the pages of a claim these devices alone. */
  private async narrow(tx: EntityManager, accountId: string, claim: string, ids: readonly string[]): Promise<void> {
    if (ids.length > 0) await tx.query(narrowSql, [accountId, claim, ids]);
    else await tx.query('DELETE FROM apple_push_page WHERE account_id = $1 AND claim = $2', [accountId, claim]);
  }

  /** Devices that are done; and those that wait, in pages of their own. */
  private async passOver(tx: EntityManager, accountId: string, rows: readonly LookedRow[]): Promise<void> {
    if (rows.length === 0) return;
    await tx.query(passOverSql, [
      accountId,
      rows.map(({ id }) => id),
      rows.map(({ outdated, later }) => (outdated ? later : null)),
      rows.map(({ since }) => since),
      rows.map(({ outdated, attempts }) => (outdated ? attempts : 0)),
      rows.map(({ outdated, failures }) => (outdated ? failures : null)),
    ]);
  }

  /** When the next device of an account is due; null when none is. */
  async nextDue(accountId: string): Promise<Date | null> {
    const sql = 'SELECT due_at FROM apple_push_page WHERE account_id = $1 ORDER BY due_at LIMIT 1';
    const [row] = await this.database.reads.query<{ due_at: Date }[]>(sql, [accountId]);
    return row?.due_at ?? null;
  }

  /** The accounts with devices that are due, `limit` of them, in order, after `afterAccountId`. */
  async accountsDue(now: Date, afterAccountId: string, limit: number): Promise<string[]> {
    const rows = await this.database.reads.query<{ account_id: string }[]>(accountsSql, [now, afterAccountId, limit]);
    return rows.map((row) => row.account_id);
  }
}

/** Also pages whose claim is over: whoever had them has gone, or was too slow. */
export const takeSql = `
  WITH due AS MATERIALIZED (
    SELECT id, size, sum(size) OVER (ORDER BY due_at, id) AS upto
    FROM (SELECT id, due_at, size FROM apple_push_page WHERE account_id = $1 AND due_at <= $2 ORDER BY due_at LIMIT $3) first
  ), number AS MATERIALIZED (
    SELECT nextval('apple_push_number') AS claim
  ), taken AS (
    UPDATE apple_push_page p SET claim = number.claim, due_at = $4 FROM number
    WHERE p.account_id = $1 AND p.id = ANY (ARRAY (SELECT id FROM due WHERE upto <= $3 OR upto = size))
    RETURNING p.size
  )
  SELECT claim, (SELECT COALESCE(sum(size), 0) FROM taken)::int AS looked FROM number`;

/*
 * A statement of its own, begun after the claim has its number: it sees every change with a lower one. Of what it reads
 * nothing is locked, as a change while it runs has a page of its own.
 *
 * A change has its own pushes. Failures that still go on are forgiven in part, so that many changes do not make many pushes
 * of a device that takes none.
 */
export const lookSql = `
  WITH claimed AS MATERIALIZED (
    SELECT device_id, max(since) FILTER (WHERE claim = $2) AS since, max(claim) FILTER (WHERE claim <> $2) AS in_hand
    FROM apple_push_page, unnest(device_ids) AS device_id
    WHERE account_id = $1 AND claim > 0 AND CASE WHEN claim = $2 THEN true ELSE due_at > $3 END
    GROUP BY device_id HAVING bool_or(claim = $2)
  ), looked AS MATERIALIZED (
    SELECT d.id, d.push_token, d.pushed_at, d.bad_tokens, d.due_at, d.push_attempts, claimed.since,
      CASE WHEN claimed.since > d.push_number THEN 0 ELSE d.push_attempts END AS attempts,
      CASE WHEN claimed.since = d.push_number THEN d.push_failures WHEN d.due_at IS NULL THEN 0
        ELSE LEAST(d.push_failures, ${forgivenFailures}) END AS failures,
      d.pass_type_identifier = $5 AND ${isDeviceBehind} AS outdated,
      CASE WHEN claimed.in_hand IS NOT NULL THEN $4::timestamptz WHEN d.push_not_before > $3 THEN d.push_not_before END AS later
    FROM claimed
    -- One after the other by the key: how many there are the planner does not know.
    CROSS JOIN LATERAL (SELECT * FROM apple_device WHERE account_id = $1 AND id = claimed.device_id OFFSET 0) d
    WHERE d.push_number <= claimed.since AND COALESCE(claimed.in_hand < claimed.since, true)
  )
  SELECT id, push_token, EXTRACT(epoch FROM pushed_at)::float8 AS pushed_at, attempts, failures, bad_tokens,
    outdated, later, since
  FROM looked WHERE outdated OR due_at IS NOT NULL OR push_attempts > 0 ORDER BY id`;

/** A fetch alone tells nothing: a wallet may fetch on each push without ever holding the change. */
export const passOverSql = `
  WITH passed_over AS MATERIALIZED (
    SELECT * FROM unnest($2::text[], $3::timestamptz[], $4::bigint[], $5::int[], $6::int[])
      AS p(id, later, since, attempts, failures)
  ), put_off AS (
    INSERT INTO apple_push_page (account_id, id, due_at, since, device_ids, size)
    SELECT $1, nextval('apple_push_number'), later, since, array_agg(id), count(*)
    FROM (
      SELECT id, later, since, (row_number() OVER (PARTITION BY later, since) - 1) / ${pageSize} AS page
      FROM passed_over WHERE later IS NOT NULL
    ) early
    GROUP BY later, since, page
  ), locked AS MATERIALIZED (
    SELECT d.id FROM apple_device d WHERE d.account_id = $1 AND ${namedIn('passed_over')} ORDER BY d.id FOR NO KEY UPDATE
  )
  UPDATE apple_device d SET due_at = p.later, push_attempts = p.attempts, push_failures = COALESCE(p.failures, d.push_failures)
  FROM passed_over p WHERE d.account_id = $1 AND d.id = p.id AND ${namedIn('locked')}`;

export const narrowSql = `
  WITH claimed AS MATERIALIZED (
    SELECT id, device_id FROM apple_push_page, unnest(device_ids) AS device_id WHERE account_id = $1 AND claim = $2
  ), narrowed AS MATERIALIZED (
    SELECT id, array_agg(device_id) AS device_ids FROM claimed JOIN unnest($3::text[]) AS kept(device_id) USING (device_id)
    GROUP BY id
  ), emptied AS (
    DELETE FROM apple_push_page p WHERE account_id = $1 AND claim = $2 AND NOT EXISTS (SELECT FROM narrowed n WHERE n.id = p.id)
  )
  UPDATE apple_push_page p SET device_ids = n.device_ids, size = cardinality(n.device_ids)
  FROM narrowed n WHERE p.account_id = $1 AND p.claim = $2 AND p.id = n.id`;

/** Without the change that they came from: other claims have left their devices of other changes to this one. */
export const leaveSql = `
  UPDATE apple_push_page SET claim = NULL, scope = NULL, due_at = $3 WHERE account_id = $1 AND claim = $2`;

/** From one account to the next along the index, however many devices each has. */
export const accountsSql = `
  WITH RECURSIVE account_due AS (
    (SELECT account_id FROM apple_push_page WHERE account_id > $2 ORDER BY account_id LIMIT 1)
    UNION ALL
    SELECT (SELECT p.account_id FROM apple_push_page p WHERE p.account_id > a.account_id
            ORDER BY p.account_id LIMIT 1)
    FROM account_due a WHERE a.account_id IS NOT NULL
  )
  SELECT account_id FROM account_due a
  WHERE account_id IS NOT NULL
    AND EXISTS (SELECT FROM apple_push_page p WHERE p.account_id = a.account_id AND p.due_at <= $1)
  LIMIT $3`;

function toDevice(row: LookedRow, claim: string, now: Date): ClaimedDevice {
  return {
    id: row.id,
    pushToken: row.push_token,
    claim,
    claimedAt: now,
    pushedAt: row.pushed_at === null ? null : new Date(row.pushed_at * 1000),
    attempts: row.attempts,
    failures: row.failures,
    badTokens: row.bad_tokens,
  };
}
