import { RetryPolicy } from '@passwright/jobs';

/**
 * The pauses after each failed attempt that Standard Webhooks recommends: ten attempts over three days and four hours,
 * published in docs/webhooks.md.
 * @see https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export const pausesSeconds = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400] as const;

/**
 * A webhook whose deliveries have all failed for so long is disabled: longer than a long weekend, so that people who come
 * back to work find it enabled; and longer than the schedule, so that one event alone never does it.
 */
export const disabledAfterMs = 5 * 86_400_000;

/** A receiver delays a delivery by a day at most, the longest pause of the table. */
const longestRetryAfterSeconds = 86_400;
/** A receiver delays the other deliveries of its webhook by an hour at most, so that a wrong `Retry-After` shows soon. */
const longestHoldSeconds = 3600;

/** Decides when a delivery is tried next. */
export const deliveryRetries = RetryPolicy.table(pausesSeconds, longestRetryAfterSeconds);

/** Returns until when a webhook rests whose receiver has asked for a pause. */
export function heldUntil(now: Date, retryAfterSeconds: number): Date {
  return new Date(now.getTime() + Math.min(Math.max(retryAfterSeconds, 1), longestHoldSeconds) * 1000);
}

/** Returns `Retry-After`, which is in seconds or an HTTP date (RFC 9110 §10.2.3); null when it is neither. */
export function retryAfterSeconds(header: string | string[] | undefined, now: Date): number | null {
  if (typeof header !== 'string') return null;
  if (/^\d{1,9}$/.test(header)) return Number(header);
  const at = /^[A-Z][a-z]{2}, /.test(header) ? Date.parse(header) : NaN;
  return Number.isNaN(at) ? null : Math.max(0, Math.ceil((at - now.getTime()) / 1000));
}
