import { Injectable } from '@nestjs/common';
import { Database, runWithNext, textArray } from '@passwright/database';
import type { EntityManager } from 'typeorm';
import { pageSize } from './push-page.entity.js';
import type { DeviceRemoval, PushedTokens, DeviceOutcome } from './push-outcome.js';
import { namedIn } from './push-queue-statements.js';

/** Records the results of pushes in the columns of `apple_device`. */
@Injectable()
export class PushRecordsRepository {
  constructor(private readonly database: Database) {}

  /** Locks devices in the order of their ids, like all code that locks several devices. */
  async lock(tx: EntityManager, accountId: string, ids: readonly string[]): Promise<void> {
    await runWithNext(tx, lockSql, [accountId, textArray(ids)], 'push-lock');
  }

  /**
   * Records the results of pushes and plans the next check. Skips the results for a device that has registered a new
   * push token meanwhile.
   * @param outcome the outcome of all these devices
   */
  async record(
    tx: EntityManager,
    accountId: string,
    outcome: DeviceOutcome,
    { ids, pushTokens, pushIds }: PushedTokens,
  ): Promise<void> {
    const { claim, pushedAt, status, reason, attempts, failures, badTokens, dueAt, pace } = outcome;
    await this.database.prepared(tx, 'push-settle', recordSql, [
      accountId,
      textArray(ids),
      textArray(pushTokens),
      textArray(pushIds),
      claim,
      pushedAt,
      status,
      reason,
      attempts,
      failures,
      badTokens,
      dueAt,
      pace.perHour,
      pace.counts,
      pace.burst,
      pace.notBefore,
      pace.notBeforeAfterBurst,
    ]);
  }

  /**
   * Deletes devices that have not registered again since `registeredBefore`, with their registrations. Records the
   * reason for each registration.
   */
  async forget(tx: EntityManager, accountId: string, removals: readonly DeviceRemoval[], now: Date): Promise<void> {
    if (removals.length === 0) return;
    const column = <Name extends keyof DeviceRemoval>(name: Name) => removals.map((removal) => removal[name]);
    const leaving = [column('id'), column('pushToken'), column('registeredBefore'), column('reason')];
    if (!this.database.isDistributed) await tx.query(forgetSql, [accountId, ...leaving, now]);
    else await this.forgetOnCitus(tx, [accountId, ...leaving], now);
  }

  /** Runs the parts of `forgetSql` as separate statements, because Citus cannot pass rows between them. */
  private async forgetOnCitus(tx: EntityManager, values: readonly unknown[], now: Date): Promise<void> {
    const devices = await tx.query<{ id: string; reason: string }[]>(lockLeavingSql, [...values]);
    const leaving = [values[0], devices.map(({ id }) => id)];
    await tx.query(noteFormerSql, [...leaving, devices.map(({ reason }) => reason), now]);
    await tx.query('DELETE FROM apple_device WHERE account_id = $1 AND id = ANY ($2::text[])', leaving);
  }
}

/** Locks devices. Returns only their number, because a row for each would cost time. */
export const lockSql = `
  SELECT count(*) FROM (
    SELECT FROM apple_device d WHERE d.account_id = $1 AND d.id = ANY ($2::text[]) ORDER BY d.id FOR NO KEY UPDATE
  ) locked`;

/** SQL: true if the device still has the token to which the push was sent. Otherwise, its counters stay unchanged. */
const sameToken = '(d.push_token = s.push_token)';
/** SQL: the number of recent pushes of a device. Older pushes count less. */
const score = `($14::int + CASE WHEN $13::float8 = 0 THEN 0 ELSE
      GREATEST(0, d.push_score - COALESCE($13::float8 * GREATEST(0, EXTRACT(epoch FROM $6::timestamptz - d.pushed_at)) / 3600, 0)) END)`;

export const recordSql = `
  WITH settled AS MATERIALIZED (
    SELECT * FROM unnest($2::text[], $3::text[], $4::text[]) AS s(id, push_token, push_id)
  ), planned AS (
    INSERT INTO apple_push_page (account_id, id, due_at, since, device_ids, size)
    SELECT $1, nextval('apple_push_number'), $12::timestamptz, $5::bigint, array_agg(id), count(*)
    FROM unnest($2::text[]) WITH ORDINALITY AS s(id, n) WHERE $12::timestamptz IS NOT NULL GROUP BY (n - 1) / ${pageSize}
  )
  UPDATE apple_device d SET
    push_number = GREATEST(d.push_number, $5::bigint),
    pushed_at = COALESCE($6::timestamptz, d.pushed_at), push_id = s.push_id, push_status = $7, push_reason = $8,
    push_score = ${score},
    push_attempts = CASE WHEN ${sameToken} THEN $9 ELSE d.push_attempts END,
    push_failures = CASE WHEN ${sameToken} THEN $10 ELSE d.push_failures END,
    bad_tokens = CASE WHEN ${sameToken} THEN $11 ELSE d.bad_tokens END,
    due_at = CASE WHEN ${sameToken} THEN $12::timestamptz ELSE d.due_at END,
    push_not_before = CASE WHEN NOT ${sameToken} THEN d.push_not_before
      WHEN ${score} < $15 THEN $16::timestamptz ELSE $17::timestamptz END
  FROM settled s WHERE d.account_id = $1 AND d.id = s.id AND ${namedIn('settled')}`;

const lockLeavingSql = `
    SELECT d.id, s.reason
    FROM unnest($2::text[], $3::text[], $4::timestamptz[], $5::text[]) AS s(id, push_token, registered_before, reason)
    JOIN apple_device d ON d.account_id = $1 AND d.id = s.id
    WHERE d.push_token = s.push_token AND d.registered_at < s.registered_before
      AND NOT EXISTS (SELECT FROM apple_registration r
        WHERE r.account_id = $1 AND r.device_id = d.id AND r.registered_at >= s.registered_before)
    ORDER BY d.id FOR UPDATE OF d`;

const noteFormer = (leaving: string, at: string) => `
    INSERT INTO apple_former_registration (account_id, serial_number, device_id, reason, left_at)
    SELECT $1, r.serial_number, r.device_id, leaving.reason, ${at}::timestamptz
    FROM apple_registration r JOIN ${leaving} ON r.device_id = leaving.id WHERE r.account_id = $1
    ON CONFLICT (account_id, serial_number, device_id) DO UPDATE SET reason = excluded.reason, left_at = excluded.left_at`;

const noteFormerSql = noteFormer('unnest($2::text[], $3::text[]) AS leaving(id, reason)', '$4');

const forgetSql = `
  WITH leaving AS MATERIALIZED (${lockLeavingSql}
  ), former AS (${noteFormer('leaving', '$6')}
  )
  DELETE FROM apple_device d USING leaving WHERE d.account_id = $1 AND d.id = leaving.id`;
