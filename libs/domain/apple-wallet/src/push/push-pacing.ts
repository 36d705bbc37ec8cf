import { RetryPolicy } from '@passwright/jobs';

/** How often a device may be pushed. */
export interface PushPacing {
  /** After a push none follows for so many seconds: changes within become one. 0 for no such pause. */
  readonly windowSeconds: number;
  /** How many pushes an hour a device may get for long. 0 for as many as there are changes. */
  readonly perHour: number;
  /** How many it may get at once before it is held to `perHour`; at least 1. */
  readonly burst: number;
}

/**
 * What iOS bears: it counts pushes against passes whose issuer pushes too often, and finally switches their updates off.
 */
export const defaultPacing: PushPacing = { windowSeconds: 30, perHour: 2, burst: 20 };

/** How long after a push of a device the next one may follow. @param score how many it has had of late, with this one */
export function pauseSeconds(score: number, { windowSeconds, perHour, burst }: PushPacing): number {
  if (perHour === 0 || score < burst) return windowSeconds;
  return Math.max(windowSeconds, 3600 / perHour);
}

/** When a device that has been pushed is looked at again, by how often it has been pushed for the last change. */
const looksAfterSeconds = [600, 3600, 6 * 3600, 24 * 3600];

/** @returns null when it is left alone until something changes. @param attempts pushes in a row, from 1 on */
export function nextLookSeconds(attempts: number): number | null {
  return looksAfterSeconds[attempts - 1] ?? null;
}

/** Nothing is put off for longer: a push service's Retry-After counts for a day at most, and so does the last look. */
export const longestWaitHours = 25;

/** Decides when a push that failed is repeated: within about three and a half hours. */
export const pushRetries = RetryPolicy.exponential({ firstSeconds: 5, longestSeconds: 3600, mostFailures: 14 });
/** What a change leaves of failures that still go on: pauses of twenty minutes and more. */
export const forgivenFailures = 8;
/** As many as pauses need to have grown to their full length; being out of reach counts up to that. */
const silentFailures = 11;

/**
 * Failures in a row, with one more.
 * @param isAnswered whether the push service said anything: when it cannot be reached, no device is at fault
 */
export function failuresAfter(failures: number, isAnswered: boolean): number {
  return isAnswered ? failures + 1 : Math.max(failures, Math.min(failures + 1, silentFailures));
}
