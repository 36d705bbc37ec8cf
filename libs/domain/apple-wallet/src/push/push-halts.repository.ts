import { Injectable } from '@nestjs/common';
import { Database } from '@passwright/database';
import { PushHalt } from './push-halt.entity.js';

/** Between two probes: as long as the halt has lasted, 15 minutes at least and an hour at most. */
const shortestProbeMs = 15 * 60_000;
const longestProbeMs = 60 * 60_000;
/** A probe that told nothing is repeated then. */
const repeatProbeMs = 60_000;
/** Nobody probes any more: the certificate is no longer in use, or no device waits. */
const forgottenMs = 60 * 60_000;

/** What is halted: an account's pushes with a certificate; those of all accounts that use it when the account is empty. */
export type HaltKey = Pick<PushHalt, 'accountId' | 'fingerprint'>;

/** Every query on the table `apple_push_halt`. */
@Injectable()
export class PushHaltsRepository {
  constructor(private readonly database: Database) {}

  /** What halts the pushes of an account with this certificate; that of the certificate itself, if there are two. */
  async find(accountId: string, fingerprint: string): Promise<PushHalt | null> {
    const [halt] = await this.database.reads.query<PushHalt[]>(findSql, [accountId, fingerprint]);
    return halt ?? null;
  }

  /**
   * Halts, or prolongs the halt there is.
   * @param mayBeOfDevices whether two devices alone may be at fault: the first probe follows soon then
   * @returns whether it is a new one
   */
  async halt(
    { accountId, fingerprint }: HaltKey,
    reason: string,
    now: Date,
    mayBeOfDevices: boolean,
  ): Promise<boolean> {
    const [row] = await this.database.transaction((tx) =>
      tx.query<{ isNew: boolean }[]>(haltSql, [
        accountId,
        fingerprint,
        reason,
        now,
        new Date(now.getTime() + (mayBeOfDevices ? repeatProbeMs : shortestProbeMs)),
        new Date(now.getTime() + longestProbeMs),
      ]),
    );
    return row?.isNew ?? false;
  }

  /** Of all who ask at once, on any node and for any account, one is to probe. */
  async takeProbe({ accountId, fingerprint }: HaltKey, now: Date): Promise<boolean> {
    const sql = `WITH taken AS (UPDATE apple_push_halt SET retry_at = $4
      WHERE account_id = $1 AND fingerprint = $2 AND retry_at <= $3 RETURNING account_id) SELECT account_id FROM taken`;
    const values = [accountId, fingerprint, now, new Date(now.getTime() + repeatProbeMs)];
    const rows = await this.database.transaction((tx) => tx.query<unknown[]>(sql, values));
    return rows.length === 1;
  }

  /** Leaves the probe to somebody else: there was no device to probe with. */
  async returnProbe({ accountId, fingerprint }: HaltKey, now: Date): Promise<void> {
    const sql = 'UPDATE apple_push_halt SET retry_at = $3 WHERE account_id = $1 AND fingerprint = $2';
    await this.database.transaction((tx) => tx.query(sql, [accountId, fingerprint, now]));
  }

  /** A push of this account with this certificate was taken: that of the certificate is over too. */
  async end(accountId: string, fingerprint: string): Promise<void> {
    const sql = `DELETE FROM apple_push_halt WHERE account_id IN ('', $1) AND fingerprint = $2`;
    await this.database.transaction((tx) => tx.query(sql, [accountId, fingerprint]));
  }

  /** Deletes halts that concern nobody any more. */
  async forget(now: Date): Promise<void> {
    const before = new Date(now.getTime() - forgottenMs);
    await this.database.transaction((tx) => tx.query('DELETE FROM apple_push_halt WHERE retry_at < $1', [before]));
  }
}

const findSql = `
  SELECT account_id AS "accountId", fingerprint, reason, since, retry_at AS "retryAt" FROM apple_push_halt
  WHERE account_id IN ('', $1) AND fingerprint = $2 ORDER BY account_id LIMIT 1`;

const haltSql = `
  INSERT INTO apple_push_halt AS h (account_id, fingerprint, reason, since, retry_at)
  VALUES ($1, $2, $3, $4::timestamptz, $5::timestamptz)
  ON CONFLICT (account_id, fingerprint) DO UPDATE SET
    reason = excluded.reason,
    retry_at = LEAST($6::timestamptz, GREATEST($5::timestamptz, $4::timestamptz + ($4::timestamptz - h.since)))
  RETURNING xmax = 0 AS "isNew"`;
