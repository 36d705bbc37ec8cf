import { RetryPolicy } from '@passwright/jobs';

/**
 * The pauses after failed attempts, as Standard Webhooks recommends them: ten attempts within three days and four hours
 * (see docs/webhooks.md).
 * @see https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export const pausesSeconds = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400] as const;

/**
 * The service disables a webhook after all its deliveries have failed for this time. It covers a long weekend, and is
 * longer than all retries of one event, so that a single event never disables the webhook.
 */
export const disabledAfterMs = 5 * 86_400_000;

/** The longest delay of a delivery that a receiver can request: a day, like the longest pause above. */
const longestRetryAfterSeconds = 86_400;
/**
 * The longest pause of all deliveries of a webhook that a receiver can request: an hour, so that a wrong `Retry-After`
 * does little harm.
 */
const longestHoldSeconds = 3600;

/** The retry policy of deliveries. */
export const deliveryRetries = RetryPolicy.table(pausesSeconds, longestRetryAfterSeconds);

/** Returns the end of a webhook's pause that its receiver has requested. */
export function heldUntil(now: Date, retryAfterSeconds: number): Date {
  return new Date(now.getTime() + Math.min(Math.max(retryAfterSeconds, 1), longestHoldSeconds) * 1000);
}

/** Parses `Retry-After`: a number of seconds or an HTTP date (RFC 9110 §10.2.3). Returns null if it is neither. */
export function retryAfterSeconds(header: string | string[] | undefined, now: Date): number | null {
  if (typeof header !== 'string') return null;
  if (/^\d{1,9}$/.test(header)) return Number(header);
  const at = /^[A-Z][a-z]{2}, /.test(header) ? Date.parse(header) : NaN;
  return Number.isNaN(at) ? null : Math.max(0, Math.ceil((at - now.getTime()) / 1000));
}
