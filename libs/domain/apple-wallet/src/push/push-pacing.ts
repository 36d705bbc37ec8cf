/** Limits on pushes per device. */
export interface PushPacing {
  /**
   * Minimum number of seconds between two pushes of a device. Changes in between share the next push. 0 for no minimum.
   */
  readonly windowSeconds: number;
  /** Sustained number of pushes per hour. 0 for no limit. */
  readonly perHour: number;
  /** Number of pushes that a device can get before `perHour` applies; at least 1. */
  readonly burst: number;
}

/**
 * The rate that iOS tolerates. iOS counts pushes per pass, and disables updates of passes whose issuer pushes too
 * often.
 */
export const defaultPacing: PushPacing = { windowSeconds: 30, perHour: 2, burst: 20 };

/**
 * Returns the pause after a push to a device.
 * @param score the number of recent pushes, including this one
 */
export function pauseSeconds(score: number, { windowSeconds, perHour, burst }: PushPacing): number {
  if (perHour === 0 || score < burst) return windowSeconds;
  return Math.max(windowSeconds, 3600 / perHour);
}

/**
 * Seconds until the service checks a pushed device again: after the first, second, third and fourth push for a change.
 */
const looksAfterSeconds = [600, 3600, 6 * 3600, 24 * 3600];

/**
 * Returns the seconds until the next check; null if there is no further check before the next change.
 * @param attempts the number of consecutive pushes, from 1
 */
export function nextLookSeconds(attempts: number): number | null {
  return looksAfterSeconds[attempts - 1] ?? null;
}

/** The longest planned wait in hours: a day for Retry-After or the last check, plus a margin. */
export const longestWaitHours = 25;
