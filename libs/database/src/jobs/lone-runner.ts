/** Runs work side by side, except for work that must run alone in this process. */
export class LoneRunner {
  private running = 0;
  private lone: Promise<void> | null = null;
  private whenIdle: () => void = () => undefined;

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

  /** Runs `work` once all other work has ended; new work waits for its end. */
  async alone<T>(work: () => Promise<T>): Promise<T> {
    while (this.lone) await this.lone;
    let end: () => void = () => undefined;
    this.lone = new Promise((resolve) => (end = resolve));
    try {
      if (this.running > 0) await new Promise<void>((resolve) => (this.whenIdle = resolve));
      return await work();
    } finally {
      this.whenIdle = () => undefined;
      this.lone = null;
      end();
    }
  }
}
