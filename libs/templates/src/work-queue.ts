/** Runs at most `width` tasks at a time, the others wait in order: memory is bounded by the width, not by the callers. */
export class WorkQueue {
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(private readonly width: number) {}

  /** Resolves or rejects as the task does, once it had its turn. */
  async run<T>(task: () => Promise<T>): Promise<T> {
    if (this.running < this.width) this.running++;
    else await new Promise<void>((resolve) => this.waiting.push(resolve));
    try {
      return await task();
    } finally {
      // A place is handed over, so that whoever comes now stays behind those who wait.
      const next = this.waiting.shift();
      if (next) next();
      else this.running--;
    }
  }
}
