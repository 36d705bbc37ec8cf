import type { Worker, WorkerEvents, WorkerPool } from 'graphile-worker';

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
  /** The slots of the lanes that take jobs or run one. */
  private readonly slots = new Set<Worker>();
  private whenSlotEnds: () => void = () => undefined;
  /** Resolves after the first result of a job that could not be written. */
  private readonly failed: Promise<void>;
  private whenFailed: () => void = () => undefined;

  /** @param whenUnused resolves when no connection of the pools is in use */
  constructor(private readonly whenUnused: () => Promise<void>) {
    this.ending = new Promise((resolve) => (this.whenEnding = resolve));
    this.failed = new Promise((resolve) => (this.whenFailed = resolve));
  }

  get ids(): string[] {
    return this.all.map(({ id }) => id);
  }

  /** @param start starts the pool of a lane, which emits these events */
  add(events: WorkerEvents, start: () => WorkerPool): void {
    events.on('worker:create', ({ worker }) => this.slots.add(worker));
    events.on('worker:stop', ({ worker }) => {
      this.slots.delete(worker);
      this.whenSlotEnds();
    });
    events.once('pool:fatalError', () => this.whenFailed());
    const workerPool = start();
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
    const ended = Promise.allSettled([...stopped, ...this.all.map(({ promise }) => promise)]);
    await Promise.race([ended, this.endedAfterFailure()]);
    // Remove the listeners, because graphile-worker keeps the events and so would keep the whole app in memory.
    for (const events of this.events) events.removeAllListeners();
  }

  /** Abandons the running jobs. @throws if they could not be returned to the queue */
  async leave(why: string): Promise<void> {
    const left = Promise.all(this.all.map(async (workerPool) => workerPool.forcefulShutdown(why)));
    await Promise.race([left, this.endedAfterFailure()]);
  }

  /**
   * Resolves when all jobs have ended and no result is being written any more. Never resolves if every result could be
   * written. After a result that could not, graphile-worker counts later ones twice, and then waits for ever for the
   * writes of a lane to end.
   */
  private async endedAfterFailure(): Promise<void> {
    await this.failed;
    while (this.slots.size > 0) await new Promise<void>((resolve) => (this.whenSlotEnds = resolve));
    await this.whenUnused();
  }
}
