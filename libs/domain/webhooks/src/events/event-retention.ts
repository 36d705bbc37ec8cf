/** How long events stay readable. */
export const STORED_DAYS = 30;
/**
 * How long a cursor is still accepted after `STORED_DAYS`. Events are stored for twice this time after `STORED_DAYS`,
 * so that every event after an accepted cursor exists.
 */
export const CURSOR_MARGIN_MS = 60 * 60 * 1000;

/** Returns the time of the oldest event that must not be deleted. */
export function forgottenBefore(now: Date): Date {
  return new Date(storedSince(now).getTime() - 2 * CURSOR_MARGIN_MS);
}

/** Returns the time of the oldest readable event. */
export function storedSince(now: Date): Date {
  return new Date(now.getTime() - STORED_DAYS * 24 * 60 * 60 * 1000);
}
