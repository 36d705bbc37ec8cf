import type { WorkerEvents, WorkerPool } from 'graphile-worker';

/** The graphile-worker pools of a worker, one for each lane. */
export class WorkerPools {
  /**
   * Resolves once a lane takes no more jobs: the worker stops, or the lane ends by itself. Its last jobs may still run,
   * so tell them to end.
   */
  readonly ending: Promise<void>;
  private whenEnding: () => void = () => undefined;
  private readonly all: WorkerPool[] = [];
  /** The pools that take jobs. */
  private readonly running = new Set<WorkerPool>();
  private readonly events: WorkerEvents[] = [];

  constructor() {
    this.ending = new Promise((resolve) => (this.whenEnding = resolve));
  }

  get ids(): string[] {
    return this.all.map(({ id }) => id);
  }

  add(workerPool: WorkerPool, events: WorkerEvents): void {
    this.all.push(workerPool);
    this.running.add(workerPool);
    this.events.push(events);
    events.once('pool:gracefulShutdown', () => {
      this.running.delete(workerPool);
      this.whenEnding();
    });
  }

  /** Accepts no more jobs, and waits for the running ones, even in a lane that ends by itself. */
  async stop(): Promise<void> {
    this.whenEnding();
    const stopped = [...this.running].map(async (workerPool) => workerPool.gracefulShutdown());
    await Promise.allSettled([...stopped, ...this.all.map(({ promise }) => promise)]);
    // Remove the listeners, because graphile-worker keeps the events and so would keep the whole app in memory.
    for (const events of this.events) events.removeAllListeners();
  }

  /** Abandons the running jobs. @throws if they could not be returned to the queue */
  async leave(why: string): Promise<void> {
    await Promise.all(this.all.map(async (workerPool) => workerPool.forcefulShutdown(why)));
  }
}
