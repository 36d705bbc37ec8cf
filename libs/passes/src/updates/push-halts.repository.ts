import { Injectable } from '@nestjs/common';
import { Database } from '@passwright/database';
import { PushHalt } from './push-halt.entity.js';

/** Between two probes: as long as the halt has lasted, 15 minutes at least and an hour at most. */
const shortestProbeMs = 15 * 60_000;
const longestProbeMs = 60 * 60_000;
/** A probe that told nothing is repeated then. */
const repeatProbeMs = 60_000;

/** Every query on the table `apple_push_halt`. */
@Injectable()
export class PushHaltsRepository {
  constructor(private readonly database: Database) {}

  find(accountId: string): Promise<PushHalt | null> {
    return this.database.reads.findOneBy(PushHalt, { accountId });
  }

  /** Halts, or prolongs the halt there is. @returns whether it is a new one */
  async halt(accountId: string, fingerprint: string, reason: string, now: Date): Promise<boolean> {
    const [row] = await this.database.transaction((tx) =>
      tx.query<{ isNew: boolean }[]>(haltSql, [
        accountId,
        fingerprint,
        reason,
        now,
        new Date(now.getTime() + shortestProbeMs),
        new Date(now.getTime() + longestProbeMs),
      ]),
    );
    return row?.isNew ?? false;
  }

  /** Of all who ask at once, one is to probe. */
  async takeProbe(accountId: string, now: Date): Promise<boolean> {
    const sql = `WITH taken AS (UPDATE apple_push_halt SET retry_at = $3
      WHERE account_id = $1 AND retry_at <= $2 RETURNING account_id) SELECT account_id FROM taken`;
    const values = [accountId, now, new Date(now.getTime() + repeatProbeMs)];
    const rows = await this.database.transaction((tx) => tx.query<unknown[]>(sql, values));
    return rows.length === 1;
  }

  async end(accountId: string): Promise<void> {
    await this.database.transaction((tx) => tx.query('DELETE FROM apple_push_halt WHERE account_id = $1', [accountId]));
  }
}

const haltSql = `
  WITH before AS (SELECT fingerprint FROM apple_push_halt WHERE account_id = $1),
  halted AS (
    INSERT INTO apple_push_halt AS h (account_id, fingerprint, reason, since, retry_at)
    VALUES ($1, $2, $3, $4::timestamptz, $5::timestamptz)
    ON CONFLICT (account_id) DO UPDATE SET
      fingerprint = excluded.fingerprint,
      reason = excluded.reason,
      since = CASE WHEN h.fingerprint = excluded.fingerprint THEN h.since ELSE excluded.since END,
      retry_at = CASE WHEN h.fingerprint = excluded.fingerprint
        THEN LEAST($6::timestamptz, GREATEST($5::timestamptz, $4::timestamptz + ($4::timestamptz - h.since)))
        ELSE excluded.retry_at END
    RETURNING h.since = $4::timestamptz AS started
  )
  SELECT halted.started AND NOT EXISTS (SELECT FROM before WHERE before.fingerprint = $2) AS "isNew" FROM halted`;
