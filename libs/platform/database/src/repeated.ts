import { setTimeout as pause } from 'node:timers/promises';
import { QueryFailedError } from 'typeorm';
import { isDatabaseUnavailable } from './unavailable.js';

const ATTEMPTS = 4;
const PAUSE_MS = 20;
/** Postgres ended this transaction because of another one: a serialization failure, or a deadlock. */
const CONFLICTS = new Set(['40001', '40P01']);
/** With the name of a constraint the values are at fault; without one a partition was made for a row on its way. */
const CHECK_VIOLATION = '23514';

/**
 * Runs a transaction, and runs it again from its beginning when Postgres ended it because of another one. The work must be
 * free of outside effects. @throws what the last attempt threw
 */
export async function repeatedOnConflict<T>(transaction: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await transaction();
    } catch (error) {
      if (attempt === ATTEMPTS || !isConflict(error)) throw error;
      // At different times, so that the same two do not meet again.
      await pause(Math.random() * PAUSE_MS * 2 ** attempt);
    }
  }
}

/** Three: a connection that was ended is replaced at once, a server that restarts takes seconds. */
const READ_PAUSES_MS = [100, 1000, 3000];

/**
 * Runs a read, and runs it again up to three times, with a pause before each, while the database is unavailable. For reads
 * in the middle of an answer that would break off. @throws what the last attempt threw
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

function isConflict(error: unknown): boolean {
  const cause: unknown = error instanceof QueryFailedError ? error.driverError : error;
  const { code = '', constraint } = (cause ?? {}) as { code?: string; constraint?: string };
  return CONFLICTS.has(code) || (code === CHECK_VIOLATION && constraint === undefined);
}
