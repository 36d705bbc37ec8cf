import type { Database } from '@passwright/database';

/**
 * The key of a circuit: a credential, and the account whose work with it is rejected. Without an account, the
 * credential itself is rejected.
 */
export interface CircuitKey {
  /** Empty for the circuit of all accounts that use the credential. */
  readonly accountId: string;
  readonly fingerprint: string;
}

/** A circuit that is open until `retryAt` and then half-open. A closed circuit has no row. */
export interface Circuit extends CircuitKey {
  readonly reason: string;
  readonly since: Date;
  readonly retryAt: Date;
}

export type CircuitState = 'closed' | 'open' | 'half-open';

export interface CircuitRules {
  /** The table of the owner, with the columns `account_id`, `fingerprint`, `reason`, `since` and `retry_at`. */
  readonly table: string;
  /** The pause before the first trial. Each later pause is as long as the circuit has been open. */
  readonly firstPauseMs: number;
  readonly longestPauseMs: number;
  /** After this time, a trial without a result may be repeated. */
  readonly trialMs: number;
  /** A circuit that was not tried for this long is deleted: its credential is not in use, or no work waits for it. */
  readonly forgottenMs: number;
}

/**
 * Stops outbound work with a credential that the receiver rejects, on all nodes. A rejection opens the circuit. From
 * time to time it is half-open, and one trial finds out whether the receiver accepts the credential again.
 */
export class CircuitBreaker {
  constructor(
    private readonly database: Database,
    private readonly rules: CircuitRules,
  ) {}

  /**
   * Finds the open circuit of the credential itself or, if there is none, that of the account. @returns null if both
   * are closed
   */
  async find(accountId: string, fingerprint: string): Promise<Circuit | null> {
    const [circuit] = await this.database.reads.query<Circuit[]>(
      `SELECT account_id AS "accountId", fingerprint, reason, since, retry_at AS "retryAt" FROM ${this.rules.table}
       WHERE account_id IN ('', $1) AND fingerprint = $2 ORDER BY account_id LIMIT 1`,
      [accountId, fingerprint],
    );
    return circuit ?? null;
  }

  async stateOf({ accountId, fingerprint }: CircuitKey, now: Date): Promise<CircuitState> {
    const circuit = await this.find(accountId, fingerprint);
    if (!circuit) return 'closed';
    return circuit.retryAt > now ? 'open' : 'half-open';
  }

  /** Opens a circuit, or prolongs an open one. @returns true if it was closed */
  async open(
    { accountId, fingerprint }: CircuitKey,
    reason: string,
    now: Date,
    firstPauseMs = this.rules.firstPauseMs,
  ): Promise<boolean> {
    const [earliest, latest] = [firstPauseMs, this.rules.longestPauseMs].map((ms) => new Date(now.getTime() + ms));
    const [row] = await this.database.transaction((tx) =>
      tx.query<{ isNew: boolean }[]>(
        `INSERT INTO ${this.rules.table} AS c (account_id, fingerprint, reason, since, retry_at)
         VALUES ($1, $2, $3, $4::timestamptz, $5::timestamptz)
         ON CONFLICT (account_id, fingerprint) DO UPDATE SET
           reason = excluded.reason,
           retry_at = LEAST($6::timestamptz, GREATEST($5::timestamptz, $4::timestamptz + ($4::timestamptz - c.since)))
         RETURNING xmax = 0 AS "isNew"`,
        [accountId, fingerprint, reason, now, earliest, latest],
      ),
    );
    return row?.isNew ?? false;
  }

  /** Takes the trial of a half-open circuit. Returns true to only one caller over all nodes. */
  async takeTrial({ accountId, fingerprint }: CircuitKey, now: Date): Promise<boolean> {
    const rows = await this.changed(
      `UPDATE ${this.rules.table} SET retry_at = $4
       WHERE account_id = $1 AND fingerprint = $2 AND retry_at <= $3 RETURNING account_id`,
      [accountId, fingerprint, now, new Date(now.getTime() + this.rules.trialMs)],
    );
    return rows === 1;
  }

  /** Returns the trial to other callers, because this one had no work to try. */
  async returnTrial({ accountId, fingerprint }: CircuitKey, now: Date): Promise<void> {
    await this.changed(
      `UPDATE ${this.rules.table} SET retry_at = $3 WHERE account_id = $1 AND fingerprint = $2 RETURNING account_id`,
      [accountId, fingerprint, now],
    );
  }

  /**
   * Closes the circuits of the account and of the credential, because the receiver has accepted work.
   * @returns true if one of them was open
   */
  async close({ accountId, fingerprint }: CircuitKey): Promise<boolean> {
    const rows = await this.changed(
      `DELETE FROM ${this.rules.table} WHERE account_id IN ('', $1) AND fingerprint = $2 RETURNING account_id`,
      [accountId, fingerprint],
    );
    return rows > 0;
  }

  /** Deletes circuits that no caller has tried for long. */
  async forget(now: Date): Promise<void> {
    const before = new Date(now.getTime() - this.rules.forgottenMs);
    await this.changed(`DELETE FROM ${this.rules.table} WHERE retry_at < $1 RETURNING account_id`, [before]);
  }

  private async changed(sql: string, values: unknown[]): Promise<number> {
    const rows = await this.database.transaction((tx) =>
      tx.query<unknown[]>(`WITH changed AS (${sql}) SELECT FROM changed`, values),
    );
    return rows.length;
  }
}
