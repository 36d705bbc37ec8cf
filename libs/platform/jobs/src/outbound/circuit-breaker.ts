import type { Database, WaitingTimes } from '@passwright/database';
import type { EntityManager } from 'typeorm';

/**
 * The key of a circuit: a credential and an account. Without an account, the receiver rejects the credential for all
 * accounts.
 */
export interface CircuitKey {
  /** Empty for the circuit of all accounts that use the credential. */
  readonly accountId: string;
  /** Identifies the credential, usually a hash of it. No two receivers have credentials with the same fingerprint. */
  readonly fingerprint: string;
}

/** A circuit that is open until `retryAt` and half-open from then on. A closed circuit has no row. */
export interface Circuit extends CircuitKey {
  readonly reason: string;
  readonly since: Date;
  readonly retryAt: Date;
}

export type CircuitState = 'closed' | 'open' | 'half-open';

/** The system that rejects a credential. */
export type CircuitReceiver = 'apple' | 'google';

export interface CircuitRules {
  readonly receiver: CircuitReceiver;
  /** The pause before the first trial. Each later pause is as long as the circuit has been open. */
  readonly firstPauseMs: number;
  readonly longestPauseMs: number;
  /** A trial that has no result after this time may be repeated. */
  readonly trialMs: number;
  /** A circuit that was not tried for this long is deleted, because its credential is not in use. */
  readonly forgottenMs: number;
}

/** The times of the next trials, for `pullBack` and `pullAllBack`. No wait exceeds an hour. */
export const trialTimes: WaitingTimes = {
  table: 'circuit_breaker',
  key: ['account_id', 'fingerprint'],
  column: 'retry_at',
  longestHours: 2,
};

export const findCircuitSql = `
  SELECT account_id AS "accountId", fingerprint, reason, since, retry_at AS "retryAt" FROM circuit_breaker
  WHERE account_id IN ('', $1) AND fingerprint = $2 AND receiver = $3 ORDER BY account_id LIMIT 1`;

const openSql = `
  WITH opened AS (
    INSERT INTO circuit_breaker (account_id, fingerprint, reason, since, retry_at, receiver)
    VALUES ($1, $2, $3, $4::timestamptz, $5::timestamptz, $7)
    ON CONFLICT (account_id, fingerprint) DO NOTHING RETURNING 1
  ), prolonged AS (
    UPDATE circuit_breaker AS circuit SET reason = $3, retry_at = later.retry_at
    FROM (
      SELECT LEAST($6::timestamptz, GREATEST($5::timestamptz, $4::timestamptz + ($4::timestamptz - since))) AS retry_at
      FROM circuit_breaker WHERE account_id = $1 AND fingerprint = $2 FOR UPDATE
    ) AS later
    WHERE circuit.account_id = $1 AND circuit.fingerprint = $2 AND NOT EXISTS (SELECT FROM opened)
    RETURNING 1
  )
  SELECT EXISTS (SELECT FROM opened) AS opened, EXISTS (SELECT FROM prolonged) AS prolonged`;

/** Counts the circuits of a receiver that are open or half-open, for metrics. */
export async function countCircuits(tx: EntityManager, receiver: CircuitReceiver): Promise<number> {
  const [row] = await tx.query<{ count: number }[]>(
    'SELECT count(*)::int AS count FROM circuit_breaker WHERE receiver = $1',
    [receiver],
  );
  return row?.count ?? 0;
}

/**
 * Stops outbound work on all nodes if the receiver rejects the credential. A rejection opens the circuit. From time to
 * time the circuit is half-open: one trial tests whether the receiver accepts the credential again. The entity is
 * `CircuitRow`.
 */
export class CircuitBreaker {
  constructor(
    private readonly database: Database,
    private readonly rules: CircuitRules,
  ) {}

  /**
   * Finds the open circuit that stops work of the account with the credential. The circuit of the credential takes
   * precedence over the account's.
   * @returns null if both are closed
   */
  async find(accountId: string, fingerprint: string): Promise<Circuit | null> {
    const values = [accountId, fingerprint, this.rules.receiver];
    const [circuit] = await this.database.reads.query<Circuit[]>(findCircuitSql, values);
    return circuit ?? null;
  }

  async stateOf({ accountId, fingerprint }: CircuitKey, now: Date): Promise<CircuitState> {
    const circuit = await this.find(accountId, fingerprint);
    if (!circuit) return 'closed';
    return circuit.retryAt > now ? 'open' : 'half-open';
  }

  /** Opens a circuit, or extends an open one. @returns true if the circuit was closed */
  async open(
    { accountId, fingerprint }: CircuitKey,
    reason: string,
    now: Date,
    firstPauseMs = this.rules.firstPauseMs,
  ): Promise<boolean> {
    const [earliest, latest] = [firstPauseMs, this.rules.longestPauseMs].map((ms) => new Date(now.getTime() + ms));
    const values = [accountId, fingerprint, reason, now, earliest, latest, this.rules.receiver];
    // Repeat if another transaction opens or closes the circuit at the same time.
    for (;;) {
      const [{ opened, prolonged }] = await this.database.transaction((tx) =>
        tx.query<[{ opened: boolean; prolonged: boolean }]>(openSql, values),
      );
      if (opened || prolonged) return opened;
    }
  }

  /** Takes the trial of a half-open circuit. Only one caller among all nodes gets true. */
  async takeTrial({ accountId, fingerprint }: CircuitKey, now: Date): Promise<boolean> {
    const rows = await this.changed(
      `UPDATE circuit_breaker SET retry_at = $4
       WHERE account_id = $1 AND fingerprint = $2 AND retry_at <= $3 AND receiver = $5 RETURNING account_id`,
      [accountId, fingerprint, now, new Date(now.getTime() + this.rules.trialMs), this.rules.receiver],
    );
    return rows === 1;
  }

  /** Returns the trial without using it, so that another caller can take it. */
  async returnTrial({ accountId, fingerprint }: CircuitKey, now: Date): Promise<void> {
    await this.changed(
      `UPDATE circuit_breaker SET retry_at = $3
       WHERE account_id = $1 AND fingerprint = $2 AND receiver = $4 RETURNING account_id`,
      [accountId, fingerprint, now, this.rules.receiver],
    );
  }

  /**
   * Closes the circuits of the account and of the credential, because the receiver has accepted work.
   * @returns true if one of them was open
   */
  async close({ accountId, fingerprint }: CircuitKey): Promise<boolean> {
    const rows = await this.changed(
      `DELETE FROM circuit_breaker
       WHERE account_id IN ('', $1) AND fingerprint = $2 AND receiver = $3 RETURNING account_id`,
      [accountId, fingerprint, this.rules.receiver],
    );
    return rows > 0;
  }

  /** Deletes circuits that no caller has tried for a long time. */
  async forget(now: Date): Promise<void> {
    const before = new Date(now.getTime() - this.rules.forgottenMs);
    await this.changed('DELETE FROM circuit_breaker WHERE receiver = $2 AND retry_at < $1 RETURNING account_id', [
      before,
      this.rules.receiver,
    ]);
  }

  private async changed(sql: string, values: unknown[]): Promise<number> {
    const rows = await this.database.transaction((tx) =>
      tx.query<unknown[]>(`WITH changed AS (${sql}) SELECT FROM changed`, values),
    );
    return rows.length;
  }
}
