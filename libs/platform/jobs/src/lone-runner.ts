import { setTimeout as pause } from 'node:timers/promises';

/** Runs work side by side, except for work that must run alone in this process. Other work has at least half of the time. */
export class LoneRunner {
  private running = 0;
  private lone: Promise<void> | null = null;
  /** After lone work, the turn of other work. */
  private rest: Promise<void> | null = null;
  private whenIdle: () => void = () => undefined;

  /** @param stop lone work that has not begun by then fails */
  constructor(private readonly stop: AbortSignal) {}

  /** Runs `work` beside other work, after any that runs alone. */
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
   * Runs `work` once all other work has ended; new work waits for its end. After it, other work runs for as long as it had
   * to wait before the next lone work.
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
