import { isDatabaseUnavailable } from '@passwright/database';

/**
 * The time that claimed work waits if its process could not record its result. The work is then done again. The wait
 * limits how often that happens if a statement fails each time, for example because it takes too long.
 */
export const RELEASE_PAUSE_MS = 10_000;

/**
 * Returns when work in one of our own queues is due again after its process has failed but still runs. Call it only
 * once the process no longer works on it. @returns null if the work stays with its claim, because the database was
 * available
 */
export function releaseTimeAfter(error: unknown, now: Date): Date | null {
  return isDatabaseUnavailable(error) ? new Date(now.getTime() + RELEASE_PAUSE_MS) : null;
}
