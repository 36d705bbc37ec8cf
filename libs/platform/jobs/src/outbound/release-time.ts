import { isDatabaseUnavailable } from '@passwright/database';

/**
 * How long claimed work waits before it is repeated, if its process could not record the result. The wait limits the
 * repetitions if a statement fails each time, for example because it takes too long.
 */
export const RELEASE_PAUSE_MS = 10_000;

/**
 * Returns the time at which claimed work in one of our own queues is due again, after it failed because the database
 * was unavailable. Call this function only in the process that made the claim, after it has stopped the work. @returns
 * null if the failure has another cause: the work then stays claimed
 */
export function releaseTimeAfter(error: unknown, now: Date): Date | null {
  return isDatabaseUnavailable(error) ? new Date(now.getTime() + RELEASE_PAUSE_MS) : null;
}
