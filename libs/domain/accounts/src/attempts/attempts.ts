import { MAX_CLOCK_DIFFERENCE_MS, RateLimited, type Clock } from '@passwright/core';
import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';
import type { DataSource } from 'typeorm';
import type { AttemptLimit } from '../attempt-limits.js';

const MAX_REJECTED_KNOWN = 10_000;

/**
 * Counts attempts by key in the table `rate_limit`, across all nodes. Each node uses its own clock for time windows.
 */
export class Attempts {
  private readonly limiter: RateLimiterPostgres;
  /** The rejected keys that this node remembers. The value is the time in milliseconds at which the rejection ends. */
  private readonly rejected = new Map<string, number>();

  /** @param sentence the message for a rejected caller */
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
      // A scheduled job deletes expired rows, once for all nodes.
      clearExpiredByTimeout: false,
      keyPrefix: name,
      points: limit.attempts,
      duration: limit.seconds,
    });
  }

  /**
   * Counts an attempt. Call it before the attempt, so that simultaneous attempts cannot exceed the limit.
   * @returns the number of attempts in this window. @throws RateLimited
   */
  async count(key: string): Promise<number> {
    try {
      return (await this.limiter.consume(key)).consumedPoints;
    } catch (error) {
      if (!(error instanceof RateLimiterRes)) throw error;
      // Reset the window, which a node with a clock ahead has started and which would last too long.
      if (error.msBeforeNext > this.limit.seconds * 1000 + MAX_CLOCK_DIFFERENCE_MS) {
        await this.limiter.delete(key);
        return this.count(key);
      }
      this.remember(key, error.msBeforeNext);
      throw this.rejection(error.msBeforeNext);
    }
  }

  /** Counts an attempt. @returns false if the key is over its limit */
  async allows(key: string): Promise<boolean> {
    try {
      await this.count(key);
      return true;
    } catch (error) {
      if (error instanceof RateLimited) return false;
      throw error;
    }
  }

  /** Rejects a key that `count` has already rejected on this node. Does not query the database. @throws RateLimited */
  rejectKnown(key: string): void {
    const until = this.rejected.get(key);
    if (until === undefined) return;
    const remaining = until - this.clock.now().getTime();
    if (remaining > 0) throw this.rejection(remaining);
    this.rejected.delete(key);
  }

  /** Subtracts an attempt that `count` has counted in advance but that must not count. */
  async giveBack(key: string): Promise<void> {
    await this.limiter.reward(key);
  }

  /** Resets the count of the key. */
  async forget(key: string): Promise<void> {
    await this.limiter.delete(key);
  }

  private remember(key: string, forMs: number): void {
    // Clear a full map. The database still enforces the limit, at the cost of a query for each attempt.
    if (this.rejected.size >= MAX_REJECTED_KNOWN) this.rejected.clear();
    this.rejected.set(key, this.clock.now().getTime() + forMs);
  }

  private rejection(remainingMs: number): RateLimited {
    const seconds = Math.max(1, Math.ceil(remainingMs / 1000));
    const policy = { limit: this.limit.attempts, windowSeconds: this.limit.seconds };
    return new RateLimited(`${this.sentence}; try again in ${seconds} seconds.`, seconds, policy);
  }
}
