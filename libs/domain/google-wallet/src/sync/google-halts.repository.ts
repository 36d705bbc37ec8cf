import { Injectable } from '@nestjs/common';
import { Database } from '@passwright/database';

/** Between two tries: as long as the halt has lasted, a minute at least and an hour at most. */
const shortestMs = 60_000;
const longestMs = 60 * 60_000;
/** Nobody tries any more. */
const forgottenMs = 24 * 60 * 60_000;

/** Google does not take a credential. */
export interface GoogleHalt {
  readonly reason: string;
  readonly since: Date;
  readonly retryAt: Date;
}

/** Every query on the table `google_halt`: one halt for a credential, whoever uses it. */
@Injectable()
export class GoogleHaltsRepository {
  constructor(private readonly database: Database) {}

  async find(fingerprint: string): Promise<GoogleHalt | null> {
    const [halt] = await this.database.reads.query<GoogleHalt[]>(
      `SELECT reason, since, retry_at AS "retryAt" FROM google_halt WHERE account_id = '' AND fingerprint = $1`,
      [fingerprint],
    );
    return halt ?? null;
  }

  /** Halts, or prolongs the halt there is. @returns whether it is a new one */
  async halt(fingerprint: string, reason: string, now: Date): Promise<boolean> {
    const ends = [shortestMs, longestMs].map((ms) => new Date(now.getTime() + ms));
    const [row] = await this.database.transaction((tx) =>
      tx.query<{ isNew: boolean }[]>(haltSql, [fingerprint, reason, now, ...ends]),
    );
    return row?.isNew ?? false;
  }

  /** Google has taken a write with the credential. @returns whether it was halted */
  async end(fingerprint: string): Promise<boolean> {
    const sql = `WITH gone AS (DELETE FROM google_halt WHERE account_id = '' AND fingerprint = $1 RETURNING fingerprint)
      SELECT fingerprint FROM gone`;
    const rows = await this.database.transaction((tx) => tx.query<unknown[]>(sql, [fingerprint]));
    return rows.length > 0;
  }

  async forget(now: Date): Promise<void> {
    const before = new Date(now.getTime() - forgottenMs);
    await this.database.transaction((tx) => tx.query('DELETE FROM google_halt WHERE retry_at < $1', [before]));
  }
}

const haltSql = `
  INSERT INTO google_halt AS h (account_id, fingerprint, reason, since, retry_at)
  VALUES ('', $1, $2, $3::timestamptz, $4::timestamptz)
  ON CONFLICT (account_id, fingerprint) DO UPDATE SET
    reason = excluded.reason,
    retry_at = LEAST($5::timestamptz, GREATEST($4::timestamptz, $3::timestamptz + ($3::timestamptz - h.since)))
  RETURNING xmax = 0 AS "isNew"`;
