/**
 * How long after a failure the next attempt follows, by how many have failed: Standard Webhooks' recommendation. Ten
 * attempts over three days and four hours, published in docs/webhooks.md.
 * @see https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export const pausesSeconds = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400] as const;

/**
 * A webhook whose deliveries have all failed for so long is disabled: longer than a long weekend, so that people who come
 * back to work find it enabled; and longer than the schedule, so that one event alone never does it.
 */
export const disabledAfterMs = 5 * 86_400_000;

/** A delivery is put off no longer than this by its receiver, the longest pause there is. */
const longestRetryAfterSeconds = 86_400;
/** And all others of the webhook no longer than this: a wrong `Retry-After` is found out the same hour. */
const longestHoldSeconds = 3600;

/**
 * When a delivery is tried next, up to a tenth later than the schedule says, so that what failed together does not come
 * back together.
 * @param failed how many attempts have failed, from 1 on. @returns null when it is given up
 */
export function nextAttempt(
  failed: number,
  now: Date,
  retryAfterSeconds: number | null,
  random = Math.random(),
): Date | null {
  const pause = pausesSeconds[failed - 1];
  if (pause === undefined) return null;
  const asked = Math.min(retryAfterSeconds ?? 0, longestRetryAfterSeconds);
  return new Date(now.getTime() + Math.round(Math.max(pause * (1 + random / 10), asked) * 1000));
}

/** Until when a webhook is left alone whose receiver has asked for a pause. */
export function heldUntil(now: Date, retryAfterSeconds: number): Date {
  return new Date(now.getTime() + Math.min(Math.max(retryAfterSeconds, 1), longestHoldSeconds) * 1000);
}

/** `Retry-After` in seconds or as an HTTP date (RFC 9110 §10.2.3); null when it is neither. */
export function retryAfterSeconds(header: string | string[] | undefined, now: Date): number | null {
  if (typeof header !== 'string') return null;
  if (/^\d{1,9}$/.test(header)) return Number(header);
  const at = /^[A-Z][a-z]{2}, /.test(header) ? Date.parse(header) : NaN;
  return Number.isNaN(at) ? null : Math.max(0, Math.ceil((at - now.getTime()) / 1000));
}
