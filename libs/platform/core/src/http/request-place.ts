import type { ConcurrencyLimiter } from '../concurrency-limiter.js';

/** A request's place among those that a node works on. It is held for work alone: what waits gives it back. */
export class RequestPlace {
  private release: (() => void) | null = null;
  private hasLeft = false;
  private waits = 0;

  /** @param key whose share the place counts for */
  constructor(
    private readonly limiter: ConcurrencyLimiter,
    private readonly key: string,
    private readonly gone?: AbortSignal,
  ) {}

  /** @throws RateLimited, NotReady */
  take(): Promise<void> {
    return this.enter(false);
  }

  private async enter(isReturning: boolean): Promise<void> {
    const release = await this.limiter.enter(this.key, this.gone, isReturning);
    if (this.hasLeft || this.release) release();
    else this.release = release;
  }

  /** Gives the place back for good: the answer has begun, or the client has gone. */
  leave(): void {
    this.hasLeft = true;
    this.giveBack();
  }

  /** Gives the place back while `wait` waits. @throws RateLimited, NotReady when it cannot be taken again */
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

  /** Takes a place for a part of the work of an answer that has begun. @throws RateLimited, NotReady */
  async within<T>(task: () => Promise<T>): Promise<T> {
    return this.release ? task() : this.limiter.run(this.key, task, this.gone);
  }

  private giveBack(): void {
    this.release?.();
    this.release = null;
  }
}
