import { MAX_CLOCK_DIFFERENCE_MS, RateLimited, type Clock } from '@passwright/core';
import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';
import type { DataSource } from 'typeorm';
import type { AttemptLimit } from '../accounts.options.js';

const MAX_REFUSED_KNOWN = 10_000;

/** Counts attempts by key in the table `rate_limit`, over all nodes; windows follow the nodes' own clocks. */
export class Attempts {
  private readonly limiter: RateLimiterPostgres;
  /** Until when a key is refused, in milliseconds; those this node has found out. */
  private readonly refused = new Map<string, number>();

  /** @param sentence what a refused caller is told */
  constructor(
    dataSource: DataSource,
    private readonly clock: Clock,
    name: string,
    private readonly limit: AttemptLimit,
    private readonly sentence: string,
  ) {
    this.limiter = new RateLimiterPostgres({
      storeClient: dataSource,
      storeType: 'typeorm',
      tableName: 'rate_limit',
      tableCreated: true,
      // Rows whose time is over go by a scheduled job, once over all nodes.
      clearExpiredByTimeout: false,
      keyPrefix: name,
      points: limit.attempts,
      duration: limit.seconds,
    });
  }

  /**
   * Counts before the attempt is made, so that no number of simultaneous ones gets past.
   * @returns the attempts in this window. @throws RateLimited
   */
  async count(key: string): Promise<number> {
    try {
      return (await this.limiter.consume(key)).consumedPoints;
    } catch (error) {
      if (!(error instanceof RateLimiterRes)) throw error;
      // A node whose clock was wrong has begun this window: it would last as long as the clock was off.
      if (error.msBeforeNext > this.limit.seconds * 1000 + MAX_CLOCK_DIFFERENCE_MS) {
        await this.limiter.delete(key);
        return this.count(key);
      }
      this.remember(key, error.msBeforeNext);
      throw this.refusal(error.msBeforeNext);
    }
  }

  /** Counts an attempt. @returns false when the key is over its limit */
  async allows(key: string): Promise<boolean> {
    try {
      await this.count(key);
      return true;
    } catch (error) {
      if (error instanceof RateLimited) return false;
      throw error;
    }
  }

  /** Refuses without a query a key that `count` refused on this node. @throws RateLimited */
  refuseKnown(key: string): void {
    const until = this.refused.get(key);
    if (until === undefined) return;
    const remaining = until - this.clock.now().getTime();
    if (remaining > 0) throw this.refusal(remaining);
    this.refused.delete(key);
  }

  /** Takes one attempt back: it was none against the limit. */
  async giveBack(key: string): Promise<void> {
    await this.limiter.reward(key);
  }

  /** Starts the key anew. */
  async forget(key: string): Promise<void> {
    await this.limiter.delete(key);
  }

  private remember(key: string, forMs: number): void {
    // Full: forgetting costs a query per attempt, not the limit.
    if (this.refused.size >= MAX_REFUSED_KNOWN) this.refused.clear();
    this.refused.set(key, this.clock.now().getTime() + forMs);
  }

  private refusal(remainingMs: number): RateLimited {
    const seconds = Math.max(1, Math.ceil(remainingMs / 1000));
    const policy = { limit: this.limit.attempts, windowSeconds: this.limit.seconds };
    return new RateLimited(`${this.sentence}; try again in ${seconds} seconds.`, seconds, policy);
  }
}
