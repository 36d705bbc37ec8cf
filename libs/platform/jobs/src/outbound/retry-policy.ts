import { backoff } from '@passwright/core';

interface RetryRules {
  /** Returns the pause after this many failures, at least 1. `random` is a number from 0 to 1. */
  readonly pauseSeconds: (failures: number, random: number) => number;
  /** Work that has failed this many times is not tried again. */
  readonly mostFailures: number;
  readonly longestRetryAfterSeconds: number;
}

/**
 * Decides when to try failed outbound work again. Pauses have a random part, so that work that failed together is not
 * retried together. A longer `Retry-After` of the receiver takes precedence.
 */
export class RetryPolicy {
  private constructor(private readonly rules: RetryRules) {}

  /** Doubles the pause with each failure, up to the longest pause. Subtracts up to half of the pause at random. */
  static exponential(options: {
    readonly firstSeconds: number;
    readonly longestSeconds: number;
    readonly mostFailures?: number;
  }): RetryPolicy {
    const { firstSeconds, longestSeconds, mostFailures = Infinity } = options;
    return new RetryPolicy({
      pauseSeconds: (failures, random) => backoff(failures, { first: firstSeconds, most: longestSeconds }, random),
      mostFailures,
      longestRetryAfterSeconds: Infinity,
    });
  }

  /** Uses the pauses of a published table and gives up at its end. Lengthens each pause at random by at most 10%. */
  static table(pausesSeconds: readonly number[], longestRetryAfterSeconds: number): RetryPolicy {
    return new RetryPolicy({
      pauseSeconds: (failures, random) =>
        (pausesSeconds[Math.min(failures, pausesSeconds.length) - 1] ?? 0) * (1 + random / 10),
      mostFailures: pausesSeconds.length + 1,
      longestRetryAfterSeconds,
    });
  }

  isGivenUp(failures: number): boolean {
    return failures >= this.rules.mostFailures;
  }

  /** Returns the pause before the next attempt. @param failures the number of failed attempts, at least 1 */
  pauseSeconds(failures: number, retryAfterSeconds: number | null, random = Math.random()): number {
    const { pauseSeconds, longestRetryAfterSeconds } = this.rules;
    const asked = Math.min(retryAfterSeconds ?? 0, longestRetryAfterSeconds);
    return Math.max(pauseSeconds(failures, random), asked);
  }

  /**
   * Returns the time of the next attempt; null if the work is not tried again.
   * @param failures the number of failed attempts, at least 1
   */
  nextAttempt(failures: number, now: Date, retryAfterSeconds: number | null, random?: number): Date | null {
    if (this.isGivenUp(failures)) return null;
    return new Date(now.getTime() + Math.round(this.pauseSeconds(failures, retryAfterSeconds, random) * 1000));
  }
}
