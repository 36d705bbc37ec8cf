import { backoff } from '@passwright/core';
import type { Problem } from './push-result.js';

/**
 * Decides when to reconnect after failures. Pauses double and are shortened at random, so that nodes do not retry at
 * the same time.
 */
export class Backoff {
  private failures = 0;
  private until = 0;
  private last: Problem | null = null;

  /** @param mostMs the longest pause */
  constructor(
    private readonly firstMs: number,
    private readonly mostMs: number,
  ) {}

  /**
   * Records a failed connection.
   * @param now milliseconds of a monotonic clock. @param atOnce skips the pause after the first failure since a success
   */
  failed(problem: Problem, now: number, atOnce: boolean): void {
    this.failures++;
    this.last = problem;
    if (atOnce && this.failures === 1) return;
    this.until = now + backoff(this.failures, { first: this.firstMs, most: this.mostMs });
  }

  succeeded(): void {
    this.failures = 0;
    this.until = 0;
    this.last = null;
  }

  /** Returns the last failure while the pause after it lasts; null if the caller may connect. */
  current(now: number): { readonly problem: Problem; readonly seconds: number } | null {
    if (!this.last || now >= this.until) return null;
    return { problem: this.last, seconds: Math.ceil((this.until - now) / 1000) };
  }
}
