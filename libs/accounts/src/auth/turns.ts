import { RateLimited } from '@passwright/core';

/**
 * Lets at most `atOnce` works run at the same time; the others wait in the order they came. That bounds what password
 * hashing takes: 19 MiB and a thread each.
 */
export class Turns {
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(
    private readonly atOnce: number,
    private readonly mayWait: number,
  ) {}

  /** @throws RateLimited at once, when `mayWait` others are waiting */
  async take<T>(work: () => Promise<T>): Promise<T> {
    if (this.running < this.atOnce) this.running++;
    else await this.turn();
    try {
      return await work();
    } finally {
      const next = this.waiting.shift();
      if (next) next();
      else this.running--;
    }
  }

  private turn(): Promise<void> {
    if (this.waiting.length >= this.mayWait) {
      throw new RateLimited('Too many people are logging in at this moment; try again in a few seconds.', 5);
    }
    return new Promise((resolve) => this.waiting.push(resolve));
  }
}
