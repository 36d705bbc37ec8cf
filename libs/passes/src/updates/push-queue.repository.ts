import { Injectable } from '@nestjs/common';
import { Database } from '@passwright/database';
import type { EntityManager } from 'typeorm';
import { currentVersion, isBehind } from '../devices/current-version.js';
import { namedIn } from './named-devices.js';
import type { PushPacing } from './push-pacing.js';
import type { ClaimedDevice, Departure, Settlement } from './push-settlement.js';

/** How long a device that was taken to be pushed is nobody else's. After a crash it is looked at again then. */
export const leaseSeconds = 60;

/** Whose devices are pushed. */
export interface PushedAccount {
  readonly accountId: string;
  /** Of its present certificate: no other device can fetch, or be pushed. */
  readonly passTypeIdentifier: string;
}

/** A page of devices that were looked at. */
export interface ClaimedPage {
  /** 0: none is due. */
  readonly looked: number;
  /** Those of them that are to be pushed. */
  readonly devices: readonly ClaimedDevice[];
}

interface ClaimedRow {
  readonly id: string;
  readonly push_token: string;
  readonly due_at: Date;
  readonly pushed_before: Date | null;
  readonly push_id: string | null;
  readonly push_status: number | null;
  readonly push_reason: string | null;
  readonly push_attempts: number;
  readonly push_score: number;
  readonly score_before: number;
  readonly push_failures: number;
  readonly bad_tokens: number;
}

/** Which devices of an account are to be pushed, and what came of it: the columns of `apple_device` that say so. */
@Injectable()
export class PushQueueRepository {
  constructor(private readonly database: Database) {}

  /**
   * Looks at the devices that are due, the longest waiting first, passing over those that somebody else has in hand: one
   * that holds the current version of all its passes is done, and so is one of another pass type than the sender's, one
   * that may not be pushed yet waits until it may, and the others are taken, for `leaseSeconds`.
   */
  async claim(
    tx: EntityManager,
    { accountId, passTypeIdentifier }: PushedAccount,
    size: number,
    now: Date,
    pacing: PushPacing,
  ): Promise<ClaimedPage> {
    const due = await tx.query<{ id: string }[]>(lockSql, [accountId, now, size]);
    if (due.length === 0) return { looked: 0, devices: [] };
    const lease = new Date(now.getTime() + leaseSeconds * 1000);
    const notBefore = new Date(now.getTime() + pacing.windowSeconds * 1000);
    const ids = due.map(({ id }) => id);
    const values = [accountId, ids, now, lease, notBefore, pacing.perHour, passTypeIdentifier];
    const rows = await tx.query<ClaimedRow[]>(lookSql, values);
    return { looked: due.length, devices: rows.map((row) => toDevice(row, now)) };
  }

  /** Writes what came of pushes. A device that was marked, or has fetched, since it was taken keeps what that says of when it is due. */
  async settle(tx: EntityManager, accountId: string, settlements: readonly Settlement[]): Promise<void> {
    if (settlements.length === 0) return;
    const column = <Name extends keyof Settlement>(name: Name) => settlements.map((settlement) => settlement[name]);
    await tx.query(settleSql, [
      accountId,
      column('id'),
      column('pushToken'),
      column('lease'),
      column('dueAt'),
      column('notBefore'),
      column('pushedAt'),
      column('pushId'),
      column('status'),
      column('reason'),
      column('attempts'),
      column('score'),
      column('failures'),
      column('badTokens'),
    ]);
  }

  /** Deletes the devices that have not been registered since, with their registrations. Why is kept with each of these. */
  async forget(tx: EntityManager, accountId: string, departures: readonly Departure[], now: Date): Promise<void> {
    if (departures.length === 0) return;
    const column = <Name extends keyof Departure>(name: Name) => departures.map((departure) => departure[name]);
    await tx.query(forgetSql, [
      accountId,
      column('id'),
      column('pushToken'),
      column('registeredBefore'),
      column('reason'),
      now,
    ]);
  }

  /** When the next device of an account is due; null when none is. */
  async nextDue(accountId: string): Promise<Date | null> {
    const sql = 'SELECT due_at FROM apple_device WHERE account_id = $1 AND due_at IS NOT NULL ORDER BY due_at LIMIT 1';
    const [row] = await this.database.reads.query<{ due_at: Date }[]>(sql, [accountId]);
    return row?.due_at ?? null;
  }

  /** The accounts with devices that are due, `limit` of them, in order, after `afterAccountId`. */
  async accountsDue(now: Date, afterAccountId: string, limit: number): Promise<string[]> {
    const rows = await this.database.reads.query<{ account_id: string }[]>(accountsSql, [now, afterAccountId, limit]);
    return rows.map((row) => row.account_id);
  }
}

export const lockSql = `
  SELECT id FROM apple_device WHERE account_id = $1 AND due_at <= $2
  ORDER BY due_at LIMIT $3 FOR NO KEY UPDATE SKIP LOCKED`;

/*
 * A statement of its own, begun after the devices are locked: it sees every change whose mark it may wipe out. One
 * statement for both would look at versions as they were before it waited for nothing but began.
 */
export const lookSql = `
  WITH looked AS MATERIALIZED (
    SELECT d.id, d.pushed_at, d.push_score,
      d.pass_type_identifier = $7 AND COALESCE(held.outdated, false) AS outdated,
      COALESCE(d.push_not_before > $3, false) AS early
    FROM apple_device d CROSS JOIN LATERAL (
      SELECT bool_or(${isBehind}) AS outdated
      FROM apple_registration r CROSS JOIN LATERAL ${currentVersion} WHERE r.account_id = d.account_id AND r.device_id = d.id
    ) held
    WHERE d.account_id = $1 AND ${namedIn('unnest($2::text[]) AS id')}
  ), written AS (
    UPDATE apple_device d SET
      due_at = CASE WHEN NOT outdated THEN NULL WHEN early THEN d.push_not_before ELSE $4::timestamptz END,
      -- A fetch alone tells nothing: a wallet may fetch on each push without ever holding the change.
      push_attempts = CASE WHEN outdated THEN d.push_attempts ELSE 0 END,
      pushed_at = CASE WHEN outdated AND NOT early THEN $3 ELSE d.pushed_at END,
      push_not_before = CASE WHEN outdated AND NOT early THEN $5::timestamptz ELSE d.push_not_before END,
      push_score = CASE WHEN outdated AND NOT early AND d.pushed_at IS NOT NULL
        THEN CASE WHEN $6::float8 = 0 THEN 0
          ELSE GREATEST(0, d.push_score - $6::float8 * EXTRACT(epoch FROM $3::timestamptz - d.pushed_at) / 3600) END
        ELSE d.push_score END
    FROM looked WHERE d.account_id = $1 AND d.id = looked.id AND ${namedIn('looked')}
    RETURNING d.id, d.push_token, d.due_at, d.push_id, d.push_status, d.push_reason, d.push_attempts, d.push_score,
      d.push_failures, d.bad_tokens, looked.pushed_at AS pushed_before, looked.push_score AS score_before,
      outdated AND NOT early AS taken
  )
  SELECT * FROM written WHERE taken ORDER BY id`;

/** Another token is another matter. */
const sameToken = 'd.push_token = s.push_token';
/** Neither marked, nor up to date, nor under another token since it was taken. */
const untouched = `d.due_at = s.lease AND ${sameToken}`;

export const settleSql = `
  WITH settled AS (
    SELECT * FROM unnest($2::text[], $3::text[], $4::timestamptz[], $5::timestamptz[], $6::timestamptz[],
      $7::timestamptz[], $8::text[], $9::int[], $10::text[], $11::int[], $12::real[], $13::int[], $14::int[])
      AS s(id, push_token, lease, due_at, not_before, pushed_at, push_id, status, reason, attempts, score, failures, bad_tokens)
  ), locked AS MATERIALIZED (
    SELECT d.id FROM apple_device d WHERE d.account_id = $1 AND ${namedIn('settled')} ORDER BY d.id FOR NO KEY UPDATE
  )
  UPDATE apple_device d SET
    pushed_at = s.pushed_at, push_id = s.push_id, push_status = s.status, push_reason = s.reason, push_score = s.score,
    due_at = CASE WHEN ${untouched} THEN s.due_at ELSE d.due_at END,
    push_attempts = CASE WHEN ${untouched} THEN s.attempts ELSE d.push_attempts END,
    push_not_before = CASE WHEN ${sameToken} THEN s.not_before ELSE d.push_not_before END,
    push_failures = CASE WHEN ${sameToken} THEN s.failures ELSE d.push_failures END,
    bad_tokens = CASE WHEN ${sameToken} THEN s.bad_tokens ELSE d.bad_tokens END
  FROM settled s WHERE d.account_id = $1 AND d.id = s.id AND ${namedIn('locked')}`;

export const forgetSql = `
  WITH leaving AS MATERIALIZED (
    SELECT d.id, s.reason
    FROM unnest($2::text[], $3::text[], $4::timestamptz[], $5::text[]) AS s(id, push_token, registered_before, reason)
    JOIN apple_device d ON d.account_id = $1 AND d.id = s.id
    WHERE d.push_token = s.push_token AND d.registered_at < s.registered_before
      AND NOT EXISTS (SELECT FROM apple_registration r
        WHERE r.account_id = $1 AND r.device_id = d.id AND r.registered_at >= s.registered_before)
    ORDER BY d.id FOR UPDATE OF d
  ), former AS (
    INSERT INTO apple_former_registration (account_id, serial_number, device_id, reason, left_at)
    SELECT $1, r.serial_number, r.device_id, leaving.reason, $6::timestamptz
    FROM apple_registration r JOIN leaving ON r.device_id = leaving.id WHERE r.account_id = $1
    ON CONFLICT (account_id, serial_number, device_id) DO UPDATE SET reason = excluded.reason, left_at = excluded.left_at
  )
  DELETE FROM apple_device d USING leaving WHERE d.account_id = $1 AND d.id = leaving.id`;

/** From one account to the next along the index, however many devices each has. */
export const accountsSql = `
  WITH RECURSIVE account_due AS (
    (SELECT account_id FROM apple_device WHERE due_at IS NOT NULL AND account_id > $2 ORDER BY account_id LIMIT 1)
    UNION ALL
    SELECT (SELECT d.account_id FROM apple_device d WHERE d.due_at IS NOT NULL AND d.account_id > a.account_id
            ORDER BY d.account_id LIMIT 1)
    FROM account_due a WHERE a.account_id IS NOT NULL
  )
  SELECT account_id FROM account_due a
  WHERE account_id IS NOT NULL
    AND EXISTS (SELECT FROM apple_device d WHERE d.account_id = a.account_id AND d.due_at <= $1)
  LIMIT $3`;

function toDevice(row: ClaimedRow, now: Date): ClaimedDevice {
  return {
    id: row.id,
    pushToken: row.push_token,
    lease: row.due_at,
    claimedAt: now,
    pushedAt: row.pushed_before,
    pushId: row.push_id,
    status: row.push_status,
    reason: row.push_reason,
    attempts: row.push_attempts,
    score: row.push_score,
    scoreBefore: row.score_before,
    failures: row.push_failures,
    badTokens: row.bad_tokens,
  };
}
