import { isDatabaseUnavailable } from '@passwright/database';

/**
 * How long claimed work waits before it is repeated, if its process could not record the result. The wait limits the
 * repetitions if a statement fails each time, for example because it takes too long.
 */
export const RELEASE_PAUSE_MS = 10_000;

/**
 * Returns the time at which work in one of our own queues is due again, after a process that still runs has failed to
 * do it. Call this function only after the process has stopped that work. @returns null if the work stays with its
 * claim, because the database was available
 */
export function releaseTimeAfter(error: unknown, now: Date): Date | null {
  return isDatabaseUnavailable(error) ? new Date(now.getTime() + RELEASE_PAUSE_MS) : null;
}
