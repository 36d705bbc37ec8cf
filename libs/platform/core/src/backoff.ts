/** The shortest and the longest pause, in any unit of time. */
export interface BackoffBounds {
  readonly first: number;
  readonly most: number;
  /** The largest share of a pause that is subtracted at random, from 0 to 1. Default: 0.5. */
  readonly jitter?: number;
}

/**
 * Returns the pause before the next attempt. The pause doubles with each failure. Subtracts a random part, so that
 * nodes that failed at the same time retry at different times.
 * @param failures the number of failed attempts, at least 1. @param random a number from 0 to 1
 * @see https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/
 */
export function backoff(
  failures: number,
  { first, most, jitter = 0.5 }: BackoffBounds,
  random = Math.random(),
): number {
  return Math.min(most, first * 2 ** Math.min(failures - 1, 30)) * (1 - jitter + jitter * random);
}
