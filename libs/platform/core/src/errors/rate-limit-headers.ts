/** A number of requests allowed within a number of seconds. */
export interface RatePolicy {
  readonly limit: number;
  readonly windowSeconds: number;
}

/** Returns the rate limit headers of a response, as in the IETF drafts up to version 7. */
export function rateLimitHeaders(
  { limit, windowSeconds }: RatePolicy,
  remaining: number,
  resetSeconds: number,
): Record<string, string> {
  return {
    'RateLimit-Limit': String(limit),
    'RateLimit-Remaining': String(remaining),
    'RateLimit-Reset': String(resetSeconds),
    'RateLimit-Policy': `${limit};w=${windowSeconds}`,
  };
}
