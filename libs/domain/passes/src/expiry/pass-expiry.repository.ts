import { Injectable } from '@nestjs/common';
import { Database, perAccount } from '@passwright/database';
import { joinTemplate, shareTemplates } from '@passwright/templates';
import type { EntityManager } from 'typeorm';
import type { PassSerial } from '../listeners/pass.listener.js';

/** A pass whose expiry has passed but is not recorded. */
export interface DuePass extends PassSerial {
  readonly templateId: string;
}

interface Expired {
  readonly account_id: string;
  readonly serial_number: string;
  readonly is_seen: boolean;
}

/** Finds passes that have expired and records their expiry. */
@Injectable()
export class PassExpiryRepository {
  constructor(private readonly database: Database) {}

  /** Finds up to `limit` passes of all accounts that have expired. The accounts take turns. */
  findDue(now: Date, limit: number): Promise<DuePass[]> {
    return this.database.reads.query<DuePass[]>(dueSql, [now, limit]);
  }

  /**
   * Records the expiry of passes. Skips passes that another transaction has locked, and those that are no longer due.
   * Creates no new version of void and redeemed passes, whose packages already show that they are not valid.
   * @returns the number of expired passes and the new versions
   */
  async expire(
    tx: EntityManager,
    due: readonly DuePass[],
    now: Date,
  ): Promise<{ expired: number; seen: PassSerial[] }> {
    // Lock templates before passes, like all other code, to avoid a deadlock.
    await shareTemplates(tx, due);
    const expired = await perAccount(this.database, due, (some, write) => {
      const passes = [some.map(({ accountId }) => accountId), some.map(({ serialNumber }) => serialNumber)];
      return tx.query<Expired[]>(write(expireSql), [...passes, now]);
    });
    const seen = expired.filter((pass) => pass.is_seen);
    return {
      expired: expired.length,
      seen: seen.map((pass) => ({ accountId: pass.account_id, serialNumber: pass.serial_number })),
    };
  }
}

/**
 * The number of due passes, earliest first, among which the accounts take turns. It limits the cost of a search. An
 * account whose passes are all due later waits until earlier passes have expired.
 */
export const mostSorted = 100_000;

/** SQL: due passes, first the earliest of each account, so that no account waits for all passes of another. */
export const dueSql = `
  SELECT account_id AS "accountId", template_id AS "templateId", serial_number AS "serialNumber" FROM (
    SELECT account_id, template_id, serial_number, expires_at,
      row_number() OVER (PARTITION BY account_id ORDER BY expires_at) AS place
    FROM (
      SELECT account_id, template_id, serial_number, expires_at FROM pass
      WHERE expires_at <= $1 AND expired_at IS NULL ORDER BY expires_at LIMIT ${mostSorted}
    ) AS earliest
  ) AS due ORDER BY place, expires_at LIMIT $2`;

/**
 * Records the expiry of passes, found by serial number. A CASE contains the other conditions, so that the planner must
 * use the primary key. Otherwise, without statistics, it might scan all passes of the template for each pass.
 */
export const expireSql = `
  WITH due AS MATERIALIZED (
    SELECT p.account_id, p.template_id, p.serial_number, p.updated_at,
      p.voided_at IS NULL AND p.redeemed_at IS NULL AS is_valid
    FROM unnest($1::text[], $2::text[]) AS k(account_id, serial_number)
    JOIN pass p ON p.account_id = k.account_id AND p.serial_number = k.serial_number
    WHERE CASE WHEN p.expired_at IS NULL THEN p.expires_at <= $3 END
    FOR NO KEY UPDATE OF p SKIP LOCKED
  ), change AS MATERIALIZED (
    SELECT due.account_id, due.serial_number, is_valid AND t.archived_at IS NULL AS is_seen,
      GREATEST($3::timestamptz, due.updated_at + interval '1 second', t.updated_at + interval '1 second') AS changed_at
    FROM due ${joinTemplate('due.account_id', 'due.template_id')}
  ), expired AS (
    UPDATE pass p SET
      expired_at = $3,
      version = CASE WHEN is_seen THEN p.version + 1 ELSE p.version END,
      updated_at = CASE WHEN is_seen THEN changed_at ELSE p.updated_at END
    FROM change WHERE p.account_id = change.account_id AND p.serial_number = change.serial_number
    RETURNING p.account_id, p.serial_number, is_seen
  )
  SELECT * FROM expired`;
