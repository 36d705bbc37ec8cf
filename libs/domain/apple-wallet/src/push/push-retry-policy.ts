import { RetryPolicy } from '@passwright/jobs';

/** Retries a failed push for about three and a half hours. */
export const pushRetryPolicy = RetryPolicy.exponential({ firstSeconds: 5, longestSeconds: 3600, mostFailures: 14 });
/** A new change lowers a greater failure count to this number, at which pauses are still at least twenty minutes. */
export const forgivenFailures = 8;
/** The failure count at which pauses reach their maximum. It grows no further while the push service is unreachable. */
const silentFailures = 11;

/**
 * Returns the number of consecutive failures after one more failure.
 * @param hasResponded false if the push service was unreachable, which is not the fault of the device
 */
export function failuresAfter(failures: number, hasResponded: boolean): number {
  return hasResponded ? failures + 1 : Math.max(failures, Math.min(failures + 1, silentFailures));
}
