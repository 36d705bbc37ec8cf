import { setTimeout as pause } from 'node:timers/promises';
import { QueryFailedError } from 'typeorm';

const ATTEMPTS = 4;
const PAUSE_MS = 20;
/** Postgres ended this transaction because of another one: a serialization failure, or a deadlock. */
const CONFLICTS = new Set(['40001', '40P01']);

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

function isConflict(error: unknown): boolean {
  const cause: unknown = error instanceof QueryFailedError ? error.driverError : error;
  return CONFLICTS.has((cause as { code?: string } | null)?.code ?? '');
}
