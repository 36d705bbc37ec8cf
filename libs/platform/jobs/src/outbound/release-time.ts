import { isDatabaseUnavailable } from '@passwright/database';

/**
 * How long claimed work waits before a repetition if its process could not record the result. Limits the repetitions
 * when each attempt fails.
 */
export const RELEASE_PAUSE_MS = 10_000;

/**
 * Returns when claimed work in one of our own queues is due again after the database was unavailable. Call it only in
 * the process that made the claim, after that has stopped the work.
 * @returns null if the failure has another cause, so that the work stays claimed
 */
export function releaseTimeAfter(error: unknown, now: Date): Date | null {
  return isDatabaseUnavailable(error) ? new Date(now.getTime() + RELEASE_PAUSE_MS) : null;
}
