import { RetryPolicy } from '@passwright/jobs';

/** Retries a failed push for about three and a half hours. */
export const pushRetryPolicy = RetryPolicy.exponential({ firstSeconds: 5, longestSeconds: 3600, mostFailures: 14 });
/** The highest failure count that remains after a new change. It means pauses of at least twenty minutes. */
export const forgivenFailures = 8;
/**
 * The failure count at which pauses reach their full length. Attempts to reach an unreachable push service count only
 * up to this number.
 */
const silentFailures = 11;

/**
 * Returns the number of consecutive failures after one more.
 * @param hasResponded true if the push service responded; if it is unreachable, no device is at fault
 */
export function failuresAfter(failures: number, hasResponded: boolean): number {
  return hasResponded ? failures + 1 : Math.max(failures, Math.min(failures + 1, silentFailures));
}
