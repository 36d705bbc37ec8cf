/** So many in so many seconds. */
export interface RatePolicy {
  readonly limit: number;
  readonly windowSeconds: number;
}

/** What answers say of a limit, as the drafts of RateLimit header fields for HTTP had it up to the seventh. */
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
