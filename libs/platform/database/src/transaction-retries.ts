import { setTimeout as pause } from 'node:timers/promises';
import { backoff } from '@passwright/core';
import { QueryFailedError } from 'typeorm';
import { isDatabaseUnavailable, isNameRejected } from './connections/temporary-errors.js';

const ATTEMPTS = 4;
const PAUSE_MS = 40;
/**
 * The SQL states with which Postgres ends a transaction that conflicts with another: serialization failure and
 * deadlock.
 */
const CONFLICTS = new Set(['40001', '40P01']);
/** A check violation. Without a constraint name, it means that a partition was created during the write. */
const CHECK_VIOLATION = '23514';

/**
 * Runs a transaction, and runs it again from the start if it conflicted with another one, or if a pooler rejected the
 * name of a statement and therefore closed the connection. The work must have no effects outside the transaction.
 * @param isJoined true for a savepoint of another transaction. It does not run again after a rejected name, because the
 *   other transaction has ended with the connection (see `repeatedOnRejectedName`).
 * @throws the error of the last attempt
 */
export async function repeatedOnConflict<T>(transaction: () => Promise<T>, isJoined = false): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await transaction();
    } catch (error) {
      const mayRepeat = isTransactionConflict(error) || (!isJoined && isNameRejected(error));
      if (attempt === ATTEMPTS || !mayRepeat) throw error;
      // Random pauses prevent the same two transactions from colliding again.
      await pause(backoff(attempt, { first: PAUSE_MS, most: Infinity, jitter: 1 }));
    }
  }
}

/**
 * Runs joined transactions, and runs them again from the start while a pooler rejects the name of a statement. Deadlocks
 * and serialization failures are left to the inner transactions, which run again by themselves. @throws the error of
 * the last attempt
 */
export async function repeatedOnRejectedName<T>(joined: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await joined();
    } catch (error) {
      if (attempt === ATTEMPTS || !isNameRejected(error)) throw error;
    }
  }
}

/**
 * The pauses before the three repetitions. A new connection may work immediately, but a restart of the server takes
 * seconds.
 */
const READ_PAUSES_MS = [100, 1000, 3000];

/**
 * Runs a read and, while the database is unavailable, repeats it up to three times after pauses. Use it for reads in
 * the middle of a response, which a failure would cut off. @throws the error of the last attempt
 */
export async function repeatedRead<T>(read: () => Promise<T>): Promise<T> {
  for (const pauseMs of READ_PAUSES_MS) {
    try {
      return await read();
    } catch (error) {
      if (!isDatabaseUnavailable(error)) throw error;
      await pause(pauseMs);
    }
  }
  return read();
}

/** Returns true if a transaction conflicted with another one, so that a later attempt may succeed. */
export function isTransactionConflict(error: unknown): boolean {
  const cause: unknown = error instanceof QueryFailedError ? error.driverError : error;
  const { code = '', constraint } = (cause ?? {}) as { code?: string; constraint?: string };
  return CONFLICTS.has(code) || (code === CHECK_VIOLATION && constraint === undefined);
}
