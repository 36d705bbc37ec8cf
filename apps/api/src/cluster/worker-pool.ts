import cluster, { type Worker } from 'node:cluster';
import { setTimeout as pause } from 'node:timers/promises';
import { backoff, loggedError } from '@passwright/core';
import type { Logger } from 'pino';
import { handleUntaken } from './untaken-connections.js';
import { Heartbeat } from './heartbeat.js';
import { sendTo, type WorkerMessage } from './cluster-messages.js';
import { NodeMetrics } from './node-metrics.js';
import type { WorkerLimits } from './worker-limits.js';

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 30_000;
/** A worker counts as stuck when it has not responded to this many pings in a row. */
const MOST_UNANSWERED = 6;
/** After this time without a crash, the next replacement again starts after the shortest pause. */
const CALM_MS = 120_000;

type State = 'starting' | 'ready' | 'leaving';

/** The error for a worker that ended before it was ready. */
export class WorkerFailed extends Error {
  constructor(
    pid: number | undefined,
    readonly how: string,
  ) {
    super(`Worker ${pid ?? ''} ended before it was ready (${how}); the reason is above.`);
    this.name = 'WorkerFailed';
  }
}

/** Starts the workers of a node, replaces those that end, and restarts or stops them. */
export class WorkerPool {
  private readonly metrics = new NodeMetrics();
  private readonly states = new Map<Worker, State>();
  /** The workers that are starting. Each promise settles when its worker is ready or has ended. */
  private readonly launches = new Set<Promise<number>>();
  private readonly heartbeat: Heartbeat;
  private stopping = false;
  private failed = false;
  private crashes = 0;
  private crashedAt = -Infinity;

  /** @param giveUp called when no worker is left and all replacements have failed to start */
  constructor(
    private readonly count: number,
    private readonly limits: WorkerLimits,
    private readonly logger: Logger,
    private readonly giveUp: (failure: unknown) => void,
  ) {
    this.heartbeat = new Heartbeat(
      limits.pingMs,
      () => this.unansweredAllowed(),
      (worker, silentMs) => {
        const finding = this.states.get(worker) === 'starting' ? 'was not ready within' : 'has not responded for';
        logger.error(`Worker ${worker.process.pid} ${finding} ${silentMs / 1000} seconds and is killed`);
        worker.process.kill('SIGKILL');
      },
    );
  }

  /**
   * Starts all workers. The first one starts alone, because it migrates the database.
   * @returns the port.
   * @throws WorkerFailed
   */
  async start(): Promise<number> {
    this.heartbeat.start();
    const port = await this.launch();
    const others = Array.from({ length: this.count - 1 }, () => this.launch());
    for (const { status } of await Promise.allSettled(others)) if (status === 'rejected') void this.replace();
    return port;
  }

  /** Replaces all workers, one after the other. An old worker stops only when its replacement is ready. */
  async restart(): Promise<void> {
    this.logger.info('Restarting the workers one by one');
    for (const old of this.workers('ready')) {
      if (this.stopping) return;
      // Skip a worker that has died during the restart and already has a replacement.
      if (!this.states.has(old) && this.states.size >= this.count) continue;
      try {
        await this.launch();
      } catch (error) {
        if (this.stopping) return;
        this.logger.error(`${loggedError(error).message} The other workers run on as they are.`);
        return void this.replace();
      }
      if (this.states.get(old) === 'ready') await this.retire(old);
    }
    this.logger.info('All workers have been restarted');
  }

  /**
   * Stops all workers. Kills those that do not end in time.
   * @returns true if no worker has failed
   */
  async stop(reason: string): Promise<boolean> {
    this.stopping = true;
    const ends = [...this.states.keys()].map(exited);
    for (const worker of this.workers('starting')) worker.process.kill('SIGTERM');
    for (const worker of this.workers('ready')) this.askToStop(worker, reason, false);
    const killer = setTimeout(() => this.kill(), this.limits.stopMs);
    await Promise.all(ends);
    clearTimeout(killer);
    return !this.failed;
  }

  /** Ends all workers immediately. */
  kill(): void {
    for (const worker of this.states.keys()) worker.process.kill('SIGKILL');
  }

  /** Starts a worker. @returns its port when it is ready. @throws WorkerFailed */
  private async launch(): Promise<number> {
    if (this.stopping) throw new Error('The node is stopping.');
    const launch = this.fork();
    this.launches.add(launch);
    try {
      return await launch;
    } finally {
      this.launches.delete(launch);
    }
  }

  private fork(): Promise<number> {
    // Pass the actual number of workers, because WORKERS in the environment file may have changed since the start.
    const worker = cluster.fork({ WORKERS: String(this.count) });
    handleUntaken(worker);
    this.states.set(worker, 'starting');
    worker.on('error', (error) => this.logger.warn(`A message to a worker was lost: ${loggedError(error).message}`));
    worker.process.once('close', () => this.metrics.workerEnded(worker));
    return new Promise((resolve, reject) => {
      worker.on('message', (message: WorkerMessage) => {
        if (message.type === 'ready') resolve(message.port);
        void this.received(worker, message);
      });
      worker.once('exit', (code: number | null, signal: string | null) => {
        const failure = new WorkerFailed(worker.process.pid, signal ?? `exit code ${code}`);
        if (this.ended(worker, failure.how, code !== 0) === 'starting') reject(failure);
      });
    });
  }

  /** Counts and replaces a worker that has ended. @returns the state of the worker before its end */
  private ended(worker: Worker, how: string, failed: boolean): State | undefined {
    const state = this.states.get(worker);
    this.states.delete(worker);
    if (this.stopping) {
      this.failed ||= failed && state !== 'starting';
      return state;
    }
    if (state !== 'leaving') this.metrics.countCrash();
    if (state === 'ready') {
      this.logger.error(`Worker ${worker.process.pid} ended unexpectedly (${how}); another one takes its place`);
    }
    // If a worker fails to start, the caller of `launch` handles the failure.
    if (state !== 'starting' && this.states.size < this.count) void this.replace();
    return state;
  }

  private async received(worker: Worker, message: WorkerMessage): Promise<void> {
    if (message.type === 'ready') this.become(worker, 'ready');
    if (message.type === 'ready' || message.type === 'pong') this.heartbeat.answered(worker);
    if (message.type === 'metrics') this.metrics.received(worker, message.metrics);
    if (message.type === 'leave') {
      this.become(worker, 'leaving');
      sendTo(worker, { type: 'left' });
    }
    if (message.type === 'scrape') {
      const processes = await this.metrics.collect([...this.workers('ready'), ...this.workers('leaving')]);
      sendTo(worker, { type: 'scraped', id: message.id, processes });
    }
  }

  /** Sets the state of a worker. Its last messages may arrive after its end. */
  private become(worker: Worker, state: State): void {
    if (this.states.has(worker)) this.states.set(worker, state);
  }

  /** Lists the workers that must respond. A starting one responds only while it waits for its database. */
  private unansweredAllowed(): ReadonlyMap<Worker, number> {
    const { startMs, pingMs } = this.limits;
    return new Map([
      ...this.workers('ready').map((worker) => [worker, MOST_UNANSWERED] as const),
      ...this.workers('starting').map((worker) => [worker, Math.ceil(startMs / pingMs)] as const),
    ]);
  }

  private workers(state: State): Worker[] {
    return [...this.states].flatMap(([worker, is]) => (is === state ? [worker] : []));
  }

  private askToStop(worker: Worker, reason: string, isReplaced: boolean): void {
    this.become(worker, 'leaving');
    sendTo(worker, { type: 'stop', reason, isReplaced });
  }

  private async retire(worker: Worker): Promise<void> {
    const gone = exited(worker);
    this.askToStop(worker, 'another worker has taken its place', true);
    const killer = setTimeout(() => worker.process.kill('SIGKILL'), this.limits.leaveMs);
    await gone;
    clearTimeout(killer);
  }

  /** Starts workers, with growing pauses after failed attempts, until the node has all its workers. */
  private async replace(): Promise<void> {
    for (;;) {
      await pause(this.nextPauseMs());
      if (this.stopping || this.states.size >= this.count) return;
      try {
        await this.launch();
        return;
      } catch (error) {
        await this.othersStarting();
        if (this.stopping) return;
        if (this.states.size === 0) {
          this.stopping = true;
          return this.giveUp(error);
        }
        this.logger.error(loggedError(error).message);
      }
    }
  }

  /**
   * Waits until the other starting workers are ready or have failed, because another attempt would hide that all have
   * failed.
   */
  private async othersStarting(): Promise<void> {
    if (this.workers('starting').length === this.states.size) await Promise.allSettled(this.launches);
  }

  private nextPauseMs(): number {
    const now = performance.now();
    this.crashes = now - this.crashedAt > CALM_MS ? 0 : this.crashes + 1;
    this.crashedAt = now;
    return backoff(this.crashes + 1, { first: FIRST_PAUSE_MS, most: LONGEST_PAUSE_MS, jitter: 0 });
  }
}

/**
 * Resolves when a worker ends. Unlike `once` of node:events, it does not reject if a message to the worker fails first.
 */
function exited(worker: Worker): Promise<void> {
  return new Promise((resolve) => worker.once('exit', () => resolve()));
}
