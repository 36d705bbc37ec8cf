import type { Cancellation } from './cancellation.js';

/** Tasks that have run for this long are assumed to wait for another system, such as a slow server of images. */
const STUCK_MS = 2000;
/**
 * The number of tasks of a key that run at once while no other key is active. More would not be faster, because one
 * event loop prepares them all.
 */
const ALONE = 4;

interface Queue {
  running: number;
  latestStart: number;
  /** The timer that starts waiting tasks once the running tasks count as stuck. */
  retry?: NodeJS.Timeout;
  readonly waiting: Set<() => void>;
}

/**
 * Runs the long tasks of a key one at a time while other keys are active, because each keeps a core of the database
 * busy. Otherwise, four tasks run simultaneously. A task that has run for two seconds no longer delays the next one.
 */
export class LongTasks {
  private readonly queues = new Map<string, Queue>();

  /** @param isBesideOthers returns true if a key other than this one is active */
  constructor(private readonly isBesideOthers: (key: string) => boolean) {}

  /**
   * Waits for the turn of a task, runs it, and returns its result or throws its error.
   * @param signal removes a waiting task from the queue and rejects with its reason
   */
  async run<T>(key: string, task: () => Promise<T>, signal?: Cancellation): Promise<T> {
    signal?.throwIfAborted();
    const queue = this.queues.get(key) ?? { running: 0, latestStart: 0, waiting: new Set() };
    this.queues.set(key, queue);
    await this.turn(key, queue, signal);
    try {
      return await task();
    } finally {
      queue.running--;
      this.startNext(key, queue);
    }
  }

  private turn(key: string, queue: Queue, signal?: Cancellation): Promise<void> {
    return new Promise((resolve, reject) => {
      const start = () => {
        signal?.removeEventListener('abort', leave);
        resolve();
      };
      const leave = () => {
        queue.waiting.delete(start);
        reject(signal?.reason instanceof Error ? signal.reason : new Error('The task was aborted'));
      };
      queue.waiting.add(start);
      signal?.addEventListener('abort', leave, { once: true });
      this.startNext(key, queue);
    });
  }

  private startNext(key: string, queue: Queue): void {
    clearTimeout(queue.retry);
    for (const start of queue.waiting) {
      const leftMs = queue.latestStart + STUCK_MS - performance.now();
      if (leftMs > 0 && queue.running >= (this.isBesideOthers(key) ? 1 : ALONE)) {
        queue.retry = setTimeout(() => this.startNext(key, queue), leftMs).unref();
        return;
      }
      queue.waiting.delete(start);
      queue.running++;
      queue.latestStart = performance.now();
      start();
    }
    if (queue.running === 0) this.queues.delete(key);
  }
}
