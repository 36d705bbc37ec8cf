import { setTimeout as pause } from 'node:timers/promises';

/** Runs work concurrently, but runs lone work while nothing else runs. Other work gets at least half of the time. */
export class LoneRunner {
  private running = 0;
  private lone: Promise<void> | null = null;
  /** The pause after lone work, in which only other work may begin; null outside such a pause. */
  private rest: Promise<void> | null = null;
  private whenIdle: () => void = () => undefined;

  /** @param stop aborts to reject lone work that has not begun */
  constructor(private readonly stop: AbortSignal) {}

  /** Runs `work` together with other work, but not during lone work. */
  async together<T>(work: () => Promise<T>): Promise<T> {
    while (this.lone) await this.lone;
    this.running++;
    try {
      return await work();
    } finally {
      if (--this.running === 0) this.whenIdle();
    }
  }

  /**
   * Runs `work` alone: after all other work has ended, and before new work begins. Afterwards, other work may run for
   * as long as it was delayed, before the next lone work begins.
   */
  async alone<T>(work: () => Promise<T>): Promise<T> {
    while (this.lone ?? this.rest) await (this.lone ?? this.rest);
    this.stop.throwIfAborted();
    const begunAt = performance.now();
    let end: () => void = () => undefined;
    this.lone = new Promise((resolve) => (end = resolve));
    try {
      if (this.running > 0) await new Promise<void>((resolve) => (this.whenIdle = resolve));
      return await work();
    } finally {
      this.whenIdle = () => undefined;
      this.lone = null;
      this.rest = this.restFor(performance.now() - begunAt);
      end();
    }
  }

  private async restFor(ms: number): Promise<void> {
    await pause(ms, undefined, { signal: this.stop }).catch(() => undefined);
    this.rest = null;
  }
}
