import type { ConcurrencyLimiter } from '../concurrency-limiter.js';

/**
 * The place of a request among those that a node works on at once. The request holds it only while it works, and gives
 * it back while it waits.
 */
export class RequestPlace {
  private release: (() => void) | null = null;
  private hasLeft = false;
  private waits = 0;

  /**
   * @param key the tenant that the place counts toward
   * @param caller its signal is read only when the request waits
   */
  constructor(
    private readonly limiter: ConcurrencyLimiter,
    private readonly key: string,
    private readonly caller?: { readonly gone?: AbortSignal | undefined },
  ) {}

  /** Takes the place. @throws RateLimited, NotReady */
  take(): Promise<void> {
    return this.enter(false);
  }

  /** Takes the place if one is free at once. @returns true if it did */
  takeNow(): boolean {
    this.release = this.limiter.enterNow(this.key);
    return this.release !== null;
  }

  private async enter(isReturning: boolean): Promise<void> {
    const release = await this.limiter.enter(this.key, this.caller?.gone, isReturning);
    if (this.hasLeft || this.release) release();
    else this.release = release;
  }

  /** Gives the place back for good, because the response has begun or the client has disconnected. */
  leave(): void {
    this.hasLeft = true;
    this.giveBack();
  }

  /**
   * Gives the place back during `wait`, then takes one again. @throws RateLimited, NotReady when none is free in time
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
    if (this.waits === 0 && !this.hasLeft) await this.enter(true);
    return result;
  }

  /** Takes a place for part of a response that has begun. @throws RateLimited, NotReady */
  async within<T>(task: () => Promise<T>): Promise<T> {
    return this.release ? task() : this.limiter.run(this.key, task, this.caller?.gone);
  }

  private giveBack(): void {
    this.release?.();
    this.release = null;
  }
}
