import type { Worker, WorkerEvents, WorkerPool } from 'graphile-worker';

/** The graphile-worker pools of a worker, one for each lane. */
export class WorkerPools {
  /**
   * Resolves once a lane takes no more jobs, because the worker stops or the lane ends by itself. Its last jobs may
   * still run, so the caller must tell them to end.
   */
  readonly ending: Promise<void>;
  private whenEnding: () => void = () => undefined;
  private readonly all: WorkerPool[] = [];
  /** The pools that take jobs. */
  private readonly running = new Set<WorkerPool>();
  private readonly events: WorkerEvents[] = [];
  /** The slots of all lanes that take or run jobs. */
  private readonly slots = new Set<Worker>();
  private whenSlotEnds: () => void = () => undefined;
  /** Resolves when the result of a job could not be written for the first time. */
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

  /** Accepts no more jobs, and waits for the running ones, including those of a lane that ended by itself. */
  async stop(): Promise<void> {
    this.whenEnding();
    const stopped = [...this.running].map(async (workerPool) => workerPool.gracefulShutdown());
    const ended = Promise.allSettled([...stopped, ...this.all.map(({ promise }) => promise)]);
    await Promise.race([ended, this.endedAfterFailure()]);
    // Remove the listeners, because graphile-worker keeps the events, and with them the whole app, in memory.
    for (const events of this.events) events.removeAllListeners();
  }

  /** Abandons the running jobs. @throws if they could not be returned to the queue */
  async leave(why: string): Promise<void> {
    const left = Promise.all(this.all.map(async (workerPool) => workerPool.forcefulShutdown(why)));
    await Promise.race([left, this.endedAfterFailure()]);
  }

  /**
   * Resolves when all jobs have ended and no result is being written, if a result could not be written before.
   * Otherwise never resolves. After such a failure, graphile-worker never reports the end of a lane.
   */
  private async endedAfterFailure(): Promise<void> {
    await this.failed;
    while (this.slots.size > 0) await new Promise<void>((resolve) => (this.whenSlotEnds = resolve));
    await this.whenUnused();
  }
}
