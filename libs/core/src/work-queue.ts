import { RateLimited } from './errors/wire-errors.js';

const retryAfterSeconds = 5;

/** How much work a queue takes on. */
export interface WorkQueueLimits {
  /** So many tasks run at the same time. */
  readonly width: number;
  /** So many others wait. */
  readonly maxWaiting: number;
  /** What a caller is told whose task would have to wait behind them: a sentence. */
  readonly refusal: string;
}

/**
 * Bounds what costly work takes at a time: tasks run in the order they came, `width` at once, and none is taken on while
 * `maxWaiting` others wait. What a task needs it takes inside, so that those that wait hold nothing.
 */
export class WorkQueue {
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(private readonly limits: WorkQueueLimits) {}

  /** Resolves or rejects as the task does, once it had its turn. @throws RateLimited at once, when too many wait */
  async run<T>(task: () => Promise<T>): Promise<T> {
    if (this.running < this.limits.width) this.running++;
    else await this.turn();
    try {
      return await task();
    } finally {
      // A place is handed over, so that whoever comes now stays behind those who wait.
      const next = this.waiting.shift();
      if (next) next();
      else this.running--;
    }
  }

  private turn(): Promise<void> {
    if (this.waiting.length >= this.limits.maxWaiting) throw new RateLimited(this.limits.refusal, retryAfterSeconds);
    return new Promise((resolve) => this.waiting.push(resolve));
  }
}
