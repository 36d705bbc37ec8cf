import { AsyncLocalStorage } from 'node:async_hooks';
import type { Cancellation } from '../cancellation.js';
import type { ConcurrencyLimiter } from '../concurrency-limiter.js';

/** The slot of the part of a response that the current work belongs to. */
const parts = new AsyncLocalStorage<RequestSlot>();

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
   * @param whole the slot of the request, if this one belongs to a part of its response
   */
  constructor(
    private readonly limiter: ConcurrencyLimiter,
    private readonly key: string,
    private readonly caller?: { readonly departure?: Cancellation | undefined },
    private readonly whole?: RequestSlot,
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
   * Gives the slot back during `wait`, then takes one again. In a part of the response, does this with the slot of the
   * part. @throws RateLimited, NotReady when no slot is free in time
   */
  async lend<T>(wait: () => Promise<T>): Promise<T> {
    const part = parts.getStore();
    // The part may belong to another request that makes this one.
    if (part?.whole === this) return part.lend(wait);
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
    const part = new RequestSlot(this.limiter, this.key, this.caller, this);
    const work = () => part.during(task);
    return isLong ? this.limiter.inTurn(this.key, work, this.caller?.departure) : work();
  }

  /** Runs a task of a part of a response with this slot. */
  private async during<T>(task: () => Promise<T>): Promise<T> {
    await this.take();
    try {
      return await parts.run(this, task);
    } finally {
      this.leave();
    }
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
