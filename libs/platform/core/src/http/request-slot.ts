import type { Cancellation } from '../cancellation.js';
import type { ConcurrencyLimiter } from '../concurrency-limiter.js';

/**
 * The slot of a request in this node's limit of concurrent requests. A request holds the slot only while it works, and
 * gives it back while it waits.
 */
export class RequestSlot {
  private release: (() => void) | null = null;
  /** The pending wait for the slot; null if the request does not wait for it. */
  private entering: Promise<void> | null = null;
  private hasLeft = false;
  private waits = 0;

  /**
   * @param key the tenant that the slot counts toward
   * @param caller its `departure` cancels the wait
   */
  constructor(
    private readonly limiter: ConcurrencyLimiter,
    private readonly key: string,
    private readonly caller?: { readonly departure?: Cancellation | undefined },
  ) {}

  /** Takes the slot. @throws RateLimited, NotReady */
  take(): Promise<void> {
    return this.enter(false);
  }

  /** Takes the slot if one is free now. @returns true if the request got the slot */
  takeNow(): boolean {
    if (this.hasLeft) return false;
    this.release = this.limiter.enterNow(this.key);
    return this.release !== null;
  }

  /** Makes simultaneous calls share one wait. A request that waits for a second slot could block itself. */
  private enter(isReturning: boolean): Promise<void> {
    this.entering ??= this.enterOnce(isReturning);
    return this.entering;
  }

  private async enterOnce(isReturning: boolean): Promise<void> {
    try {
      const release = await this.limiter.enter(this.key, this.caller?.departure, isReturning);
      // Give the slot back if another wait of the request has begun meanwhile. That wait takes a slot when it ends.
      if (this.hasLeft || this.waits > 0) release();
      else this.release = release;
    } finally {
      this.entering = null;
    }
  }

  /** Gives the slot back for good, because the response has begun or the client has disconnected. */
  leave(): void {
    this.hasLeft = true;
    this.giveBack();
  }

  /**
   * Gives the slot back during `wait`, then takes one again. @throws RateLimited, NotReady when no slot is free in time
   */
  async lend<T>(wait: () => Promise<T>): Promise<T> {
    this.waits++;
    this.giveBack();
    let result: T;
    try {
      result = await wait();
    } finally {
      this.waits--;
    }
    if (this.waits === 0 && !this.hasLeft && !this.release) await this.enter(true);
    return result;
  }

  /**
   * Takes a slot for part of a response that has begun.
   * @param options.isLong true for a part that the database works on for a long time. While other tenants are active,
   * the long parts of a tenant run one at a time. @throws RateLimited, NotReady
   */
  async within<T>(task: () => Promise<T>, { isLong = false } = {}): Promise<T> {
    if (this.release) return task();
    const gone = this.caller?.departure;
    return isLong ? this.limiter.runLong(this.key, task, gone) : this.limiter.run(this.key, task, gone);
  }

  /** Returns true if another tenant has asked for a slot within the last two seconds. */
  isBesideOthers(): boolean {
    return this.limiter.isBesideOthers(this.key);
  }

  private giveBack(): void {
    this.release?.();
    this.release = null;
  }
}
