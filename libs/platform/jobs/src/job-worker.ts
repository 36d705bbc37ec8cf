import { EventEmitter, setMaxListeners } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from '@nestjs/common';
import { counted, loggedError } from '@passwright/core';
import {
  Logger as WorkerLogger,
  runMigrations,
  runTaskList,
  type Job as QueuedJob,
  type ParsedCronItem,
  type TaskList,
  type WorkerEvents,
  type WorkerPool,
  type WorkerPoolOptions,
} from 'graphile-worker';
import { DatabaseClock, databaseTime } from '@passwright/database';
import { AbandonedJobs } from './abandoned-jobs.js';
import { Crontab } from './crontab.js';
import type { JobContext } from './job.js';
import { type Lane, LANES } from './lanes.js';
import { LoneRunner } from './lone-runner.js';
import { QueuePool } from './queue-pool.js';
import { DEATHS_BESIDE_OTHERS, type QueuedWork, SuspectJobs } from './suspect-jobs.js';
import { WorkerPresence } from './worker-presence.js';

/** Connections for the begin and end of jobs and for the crontab, besides one that listens for each lane. */
const CONNECTIONS = 5;

/** A lane that has nothing to do looks again at the earliest after this time. */
const QUIET_MS = 25;
const CLOCK_LOOK_MS = 1000;

/** Does a job or a schedule. */
export interface JobTask {
  readonly run: (payload: unknown, context: JobContext) => Promise<void>;
  readonly lane: Lane;
}

export interface JobWorkerOptions {
  readonly url: string;
  readonly tasks: ReadonlyMap<string, JobTask>;
  readonly crons: ParsedCronItem[];
  /** Tasks that run when the time has gone back. */
  readonly repairs: readonly string[];
  readonly abandonedAfterMs: number;
  /** Undefined: the worker measures the database's time itself. */
  readonly clock?: DatabaseClock;
  readonly logger: Logger;
}

/** Runs jobs until it is stopped: graphile-worker, shown to the other processes, and taking over from those that have gone. */
export class JobWorker {
  private readonly stopping = new AbortController();
  /** Jobs that ended early because of the stop. */
  private readonly unfinished: string[] = [];
  private readonly pool: QueuePool;
  private readonly suspects: SuspectJobs;
  private readonly clock: DatabaseClock;
  private readonly closing = new AbortController();
  private crontab: Promise<void> = Promise.resolve();
  /** Times at which each lane last had no job. */
  private readonly emptyAt = new Map<Lane, number>();
  private readonly loneRunner = new LoneRunner(this.stopping.signal);
  private presence: WorkerPresence | null = null;
  private readonly workerPools: WorkerPool[] = [];
  /** Pools that nothing has stopped yet. */
  private readonly running = new Set<WorkerPool>();
  /** Resolves once the workers of all lanes are made, and this process shows them. */
  private readonly made: Promise<void>;
  private whenMade: () => void = () => undefined;
  /**
   * By what graphile-worker is given, which it keeps for as long as the process runs: a worker that is closed, and the
   * app behind it, are not kept too.
   */
  private readonly lead: { worker: JobWorker | null } = { worker: this };

  private constructor(private readonly options: JobWorkerOptions) {
    this.pool = new QueuePool(options.url, CONNECTIONS + Object.keys(LANES).length, options.logger);
    this.made = new Promise((resolve) => (this.whenMade = resolve));
    this.clock = options.clock ?? new DatabaseClock({ now: () => databaseTime(this.pool) });
    // Every place of every lane waits for these.
    setMaxListeners(0, this.stopping.signal, this.closing.signal);
    this.suspects = new SuspectJobs(new Set(options.crons.map(({ task }) => task)), options.logger);
  }

  /** @throws when the database does not answer */
  static async start(options: JobWorkerOptions): Promise<JobWorker> {
    const worker = new JobWorker(options);
    try {
      await worker.runAll();
      return worker;
    } catch (error) {
      await worker.close();
      throw error;
    }
  }

  /** Resolves when it runs no more jobs, also when nobody has stopped it. */
  async ended(): Promise<void> {
    await Promise.race(this.workerPools.map(({ promise }) => promise.catch(() => undefined)));
  }

  /** Running jobs are told, and have this long to end; then they are left, to be run again elsewhere. */
  async stop(withinMs: number): Promise<void> {
    const { logger } = this.options;
    this.stopping.abort(new Error('The process stops; the job is run again'));
    const done = new AbortController();
    const stopped = this.stopRunning().finally(() => done.abort());
    this.presence?.release();
    await pause(withinMs, undefined, { signal: done.signal }).then(
      async () => {
        logger.warn(`Jobs that are still running after ${withinMs} ms are left, and run again later`);
        await this.leaveRunning();
      },
      () => stopped,
    );
    await this.handBack();
    await this.close();
  }

  /** When it has ended by itself. */
  async close(): Promise<void> {
    this.closing.abort();
    if (!this.options.clock) this.clock.onApplicationShutdown();
    this.whenMade();
    this.presence?.release();
    await this.crontab;
    await this.stopRunning();
    await this.pool.end();
    // Last: until then the jobs are this worker's.
    await this.presence?.stop();
    this.lead.worker = null;
  }

  private async leaveRunning(): Promise<void> {
    try {
      const why = 'The process stopped before the end of the job';
      await Promise.all(this.workerPools.map(async (workerPool) => workerPool.forcefulShutdown(why)));
    } catch (error) {
      this.options.logger.warn(`The jobs left could not be given back: ${loggedError(error).message}`);
    }
  }

  /** Takes no more jobs, and waits for those that run. */
  private async stopRunning(): Promise<void> {
    await Promise.allSettled([...this.running].map(async (workerPool) => workerPool.gracefulShutdown()));
  }

  /** Starts a worker for each lane; none begins a job before all are shown. */
  private async runAll(): Promise<void> {
    if (!this.options.clock) await this.clock.onModuleInit();
    const lanes = new Map<Lane, string[]>();
    for (const [name, { lane }] of this.options.tasks) lanes.set(lane, [...(lanes.get(lane) ?? []), name]);
    // Fails where other software has changed the queue so that this process must not use it.
    if (lanes.size > 0) await runMigrations({ pgPool: this.pool, logger: this.queueLogger() });
    for (const [lane, names] of lanes) this.run(lane, names);
    if (this.workerPools.length > 0) this.presence = this.newPresence(this.workerPools.map(({ id }) => id));
    this.whenMade();
    const ends = AbortSignal.any([this.stopping.signal, this.closing.signal]);
    this.crontab = new Crontab(this.pool, this.options, this.clock).run(ends, (error) => {
      this.options.logger.warn(`Schedules were not looked at: ${loggedError(error).message}`);
    });
  }

  /** Starts the workers of a lane. Graphile-worker's `run` adds its own crontab, whose timers overflow after a clock's jump. */
  private run(lane: Lane, names: readonly string[]): void {
    const { lead } = this;
    const worker = () => {
      if (!lead.worker) throw new Error('The worker is closed');
      return lead.worker;
    };
    const taskList: TaskList = Object.fromEntries(
      names.map((name) => [name, (payload, { job }) => worker().perform(name, payload, job)]),
    );
    const events: WorkerEvents = new EventEmitter();
    events.on('worker:getJob:empty', () => lead.worker?.emptyAt.set(lane, performance.now()));
    events.once('pool:gracefulShutdown', ({ workerPool }) => lead.worker?.running.delete(workerPool));
    const options: WorkerPoolOptions = {
      concurrency: LANES[lane],
      // The app's own shutdown stops the workers.
      noHandleSignals: true,
      events,
      // The way to wait before each look for a job: one is begun only while others can see that this worker lives.
      forbiddenFlags: () => worker().mayLook(lane),
      // In batches it repeats what the database did not take; one by one a failure would end the process.
      preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
      logger: this.queueLogger(),
    };
    const workerPool = runTaskList(options, taskList, this.pool);
    this.workerPools.push(workerPool);
    this.running.add(workerPool);
  }

  private queueLogger(): WorkerLogger {
    const { lead } = this;
    return new WorkerLogger(() => (level: string, message, meta) => lead.worker?.log(level, message, meta));
  }

  /** Resolves when a worker of the lane may look for a job. @returns the flags that it leaves alone: none */
  private async mayLook(lane: Lane): Promise<null> {
    await this.made;
    const { signal } = this.closing;
    // Every new job wakes a worker of each lane: those that find nothing look together, not once for each.
    const quietMs = (this.emptyAt.get(lane) ?? 0) + QUIET_MS - performance.now();
    if (quietMs > 0) await pause(quietMs, undefined, { signal }).catch(() => undefined);
    await this.presence?.shown();
    while (this.isTooSoon(lane) && !signal.aborted && !this.stopping.signal.aborted)
      await pause(CLOCK_LOOK_MS, undefined, { signal: this.stopping.signal }).catch(() => undefined);
    return null;
  }

  /** Under a wrong time, receivers reject signatures, and a webhook that has not failed for days is disabled. */
  private isTooSoon(lane: Lane): boolean {
    if (lane === 'timed') return !this.clock.allowsTimedWork;
    return lane === 'looks' ? !this.clock.allowsLooks : lane === 'webhooks' && !this.clock.isRight;
  }

  private async perform(name: string, payload: unknown, job: QueuedJob): Promise<void> {
    const { signal: stopping } = this.stopping;
    const task = this.options.tasks.get(name);
    if (!task) throw new Error(`There is no task ${name}`);
    const signal = this.presence ? AbortSignal.any([stopping, this.presence.signal]) : stopping;
    try {
      await this.runWatched(() => task.run(payload, { signal }), { ...job, task: name, payload });
    } catch (error) {
      if (stopping.aborted) this.unfinished.push(job.id);
      throw error;
    }
  }

  /** Runs a job that may end its process alone, and skips one that was set aside for that. */
  private async runWatched(run: () => Promise<void>, work: QueuedWork & { readonly attempts: number }): Promise<void> {
    const { pool, suspects, loneRunner } = this;
    const suspect = await suspects.find(pool, work, work.attempts);
    if (suspect?.isSetAside) return;
    if (suspect && suspect.deaths >= DEATHS_BESIDE_OTHERS) {
      await loneRunner.alone(async () => {
        await suspects.note(pool, work, true);
        await run().finally(() => suspects.note(pool, work, false));
      });
    } else await loneRunner.together(run);
    if (suspect) await suspects.clear(pool, work);
  }

  private newPresence(workerIds: readonly string[]): WorkerPresence {
    const { url, tasks, abandonedAfterMs, logger } = this.options;
    const abandoned = new AbandonedJobs(workerIds, [...tasks.keys()], abandonedAfterMs, this.suspects, logger);
    return new WorkerPresence({
      url,
      workerIds,
      // Gives up well before others may take over.
      lostAfterMs: abandonedAfterMs * (3 / 5),
      beatMs: abandonedAfterMs / 6,
      beat: (client) => abandoned.recover(client),
      // What waits on a connection that is dead without a word would wait for a quarter of an hour.
      onLost: () => this.pool.disconnect(),
      logger,
    });
  }

  /** What ended because of the stop alone has not failed: it is due now, and the attempt does not count. */
  private async handBack(): Promise<void> {
    if (this.unfinished.length === 0) return;
    await this.pool
      .query(
        `UPDATE graphile_worker._private_jobs SET attempts = attempts - 1, run_at = now()
          WHERE id = ANY ($1::bigint[]) AND is_available AND attempts > 0`,
        [this.unfinished],
      )
      .catch((error: unknown) =>
        this.options.logger.warn(`Jobs could not be handed back: ${loggedError(error).message}`),
      );
  }

  private log(level: string, message: string, meta?: object): void {
    const { logger } = this.options;
    if (meta && 'failure' in meta) this.logFailure(meta as unknown as { job: QueuedJob; error: unknown });
    // At the end of the process what it left is told once, above.
    else if (level === 'error' && !this.stopping.signal.aborted) logger.error(message);
    else if (level === 'warning') logger.warn(message);
  }

  private logFailure({ job, error }: { job: QueuedJob; error: unknown }): void {
    const { task_identifier: task, id, attempts, max_attempts: maxAttempts } = job;
    if (this.unfinished.includes(id)) return;
    const { type, message, stack } = loggedError(error);
    if (attempts >= maxAttempts) {
      counted('failed_jobs', { task });
      this.options.logger.error(
        `Job ${task} (${id}) has failed for good, after ${attempts} attempts: ${type}: ${message}`,
        stack,
      );
    } else {
      this.options.logger.warn(
        `Job ${task} (${id}) failed at attempt ${attempts} of ${maxAttempts}, is run again: ${type}: ${message}`,
      );
    }
  }
}
