import { isDatabaseUnavailable } from '@passwright/database';

/**
 * How long claimed work waits when its process could not record it. Work that was done is done again then, so the
 * pause limits how often if a statement fails each time, for example because it takes too long.
 */
export const RELEASE_PAUSE_MS = 10_000;

/**
 * Returns when work in one of our own queues is due again after its process has failed and lives on. Call it only once
 * the process no longer works on it. @returns null if the work stays with its claim, because the database was available
 */
export function releaseTimeAfter(error: unknown, now: Date): Date | null {
  return isDatabaseUnavailable(error) ? new Date(now.getTime() + RELEASE_PAUSE_MS) : null;
}
