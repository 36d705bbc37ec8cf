/** Limits on pushes per device. */
export interface PushPacing {
  /** Seconds after a push in which no other push is sent; changes within the window are combined. 0 for no window. */
  readonly windowSeconds: number;
  /** Sustained number of pushes per hour. 0 for no limit. */
  readonly perHour: number;
  /** Number of pushes that a device may get before `perHour` applies; at least 1. */
  readonly burst: number;
}

/**
 * The rate that iOS tolerates. iOS counts pushes per pass, and disables updates of passes whose issuer pushes too
 * often.
 */
export const defaultPacing: PushPacing = { windowSeconds: 30, perHour: 2, burst: 20 };

/** Returns the pause after a push of a device. @param score the number of recent pushes, including this one */
export function pauseSeconds(score: number, { windowSeconds, perHour, burst }: PushPacing): number {
  if (perHour === 0 || score < burst) return windowSeconds;
  return Math.max(windowSeconds, 3600 / perHour);
}

/** Seconds until a pushed device is checked again, by the number of pushes for the last change. */
const looksAfterSeconds = [600, 3600, 6 * 3600, 24 * 3600];

/** @returns null if no further check is planned before the next change. @param attempts consecutive pushes, from 1 */
export function nextLookSeconds(attempts: number): number | null {
  return looksAfterSeconds[attempts - 1] ?? null;
}

/** The longest planned wait: a day for Retry-After or the last check, plus a margin. */
export const longestWaitHours = 25;
