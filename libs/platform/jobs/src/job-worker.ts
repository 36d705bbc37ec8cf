import { EventEmitter, setMaxListeners } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from '@nestjs/common';
import { type BlobStorage, loggedError, withAnySignal } from '@passwright/core';
import {
  Logger as WorkerLogger,
  runMigrations,
  runTaskList,
  type Job as QueuedJob,
  type ParsedCronItem,
  type TaskList,
  type WorkerEvents,
  type WorkerPoolOptions,
} from 'graphile-worker';
import { DatabaseClock, databaseTime, type QueueTables, queueTables } from '@passwright/database';
import { AbandonedJobs } from './abandoned-jobs.js';
import { Crontab } from './crontab.js';
import type { JobTask } from './job.js';
import { reportFailedJob } from './report-failed-job.js';
import { runInTrace } from './job-trace.js';
import { JobsInHand } from './jobs-in-hand.js';
import { type Lane, LANES, QUEUE_CONNECTIONS } from './lanes.js';
import { LoneRunner } from './pools/lone-runner.js';
import type { Claimant } from './outbound/claimant.service.js';
import { QueuePool } from './pools/queue-pool.js';
import { WorkerPools } from './pools/worker-pools.js';
import { StoppedWorkers } from './stopped-workers.js';
import { DEATHS_BESIDE_OTHERS, type QueuedWork, SuspectJobs } from './suspect-jobs.js';
import { WorkerPresence } from './worker-presence.js';

/** A lane without jobs waits at least this long before it checks again. */
const QUIET_MS = 25;
const CLOCK_LOOK_MS = 1000;

export interface JobWorkerOptions {
  readonly url: string;
  /** The schema of the tables. Default: the connection's own search_path decides. */
  readonly schema?: string | null;
  readonly tasks: ReadonlyMap<string, JobTask>;
  readonly crons: ParsedCronItem[];
  /** The tasks to run when the database's clock was set back. */
  readonly repairs: readonly string[];
  /** The tasks to run when a process has died. */
  readonly afterDeath: readonly string[];
  readonly claimant: Claimant;
  readonly abandonedAfterMs: number;
  /** The clock of the node. Without it, the worker measures the database's time itself. */
  readonly clock?: DatabaseClock;
  /** Stores the notes of `StoppedWorkers`. Without it, a stop while the database is unavailable counts as a crash. */
  readonly storage?: BlobStorage;
  readonly logger: Logger;
}

/** Runs jobs with graphile-worker until it is stopped, and takes over the jobs of dead processes. */
export class JobWorker {
  private readonly stopping = new AbortController();
  private readonly queue: QueueTables;
  private readonly pool: QueuePool;
  private readonly stopNotes: StoppedWorkers;
  private readonly inHand: JobsInHand;
  private readonly suspects: SuspectJobs;
  private readonly clock: DatabaseClock;
  private readonly closing = new AbortController();
  /** Aborts when a stop gives up waiting for running jobs. */
  private readonly leaving = new AbortController();
  private crontab: Promise<void> = Promise.resolve();
  /** The time at which each lane last found no job. */
  private readonly emptyAt = new Map<Lane, number>();
  private readonly loneRunner = new LoneRunner(this.stopping.signal);
  private presence: WorkerPresence | null = null;
  private stopped: Promise<void> | null = null;
  private readonly workerPools = new WorkerPools(() => this.pool.whenUnused());
  /** Resolves once the workers of all lanes exist. Other processes can see this process only afterwards. */
  private readonly made: Promise<void>;
  private whenMade: () => void = () => undefined;
  /** Graphile-worker refers to this worker only through this object, so that it keeps no closed worker in memory. */
  private readonly lead: { worker: JobWorker | null } = { worker: this };

  private constructor(private readonly options: JobWorkerOptions) {
    const { url, schema = null, logger } = options;
    this.queue = queueTables(schema);
    this.pool = new QueuePool(url, QUEUE_CONNECTIONS, logger, schema);
    this.clock = options.clock ?? new DatabaseClock({ now: () => databaseTime(this.pool) });
    this.stopNotes = new StoppedWorkers(options.storage ?? null, this.clock, logger);
    this.inHand = new JobsInHand(this.pool, this.stopNotes, logger, this.queue);
    this.made = new Promise((resolve) => (this.whenMade = resolve));
    // Every slot of every lane listens to these signals, and Node would warn of a leak.
    setMaxListeners(0, this.stopping.signal, this.closing.signal);
    this.suspects = new SuspectJobs(new Set(options.crons.map(({ task }) => task)), logger, this.queue);
  }

  /** Starts a worker. @throws if the database does not respond */
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

  /** Resolves when the worker begins to end, even by itself. Its running jobs continue until `stop`. */
  ends(): Promise<void> {
    return this.workerPools.ending;
  }

  /**
   * Asks running jobs to end, and waits for them. Later calls may shorten the wait.
   * @param withinMs jobs that run longer are abandoned, and run again on another node; null waits for all jobs
   */
  async stop(withinMs: number | null): Promise<void> {
    this.stopped ??= this.stopOnce();
    const timer = withinMs === null ? undefined : setTimeout(() => this.leaving.abort(), withinMs);
    await this.stopped.finally(() => clearTimeout(timer));
  }

  private async stopOnce(): Promise<void> {
    const { signal: leaving } = this.leaving;
    this.stopping.abort(new Error('The worker stops; the job runs again'));
    const ended = this.workerPools.stop();
    this.presence?.release();
    const left = new Promise<void>((resolve) => leaving.addEventListener('abort', () => resolve(), { once: true }));
    await Promise.race([ended, left]);
    if (leaving.aborted) {
      this.options.logger.warn('Jobs that are still running are left, and run again later');
      await this.leaveRunning();
    }
    await this.inHand.giveBack();
    await this.close();
  }

  private async close(): Promise<void> {
    this.closing.abort();
    if (!this.options.clock) this.clock.onApplicationShutdown();
    this.whenMade();
    this.presence?.release();
    await this.crontab;
    await this.workerPools.stop();
    await this.pool.end();
    // Release the presence lock last, because the jobs belong to this worker until all have ended.
    await this.presence?.stop();
    this.lead.worker = null;
  }

  private async leaveRunning(): Promise<void> {
    try {
      await this.workerPools.leave('The process stopped before the end of the job');
    } catch (error) {
      this.options.logger.warn(`The jobs left could not be given back: ${loggedError(error).message}`);
    }
  }

  /** Starts a worker for each lane. No worker begins a job before other processes can see all workers. */
  private async runAll(): Promise<void> {
    if (!this.options.clock) await this.clock.onModuleInit();
    const lanes = new Map<Lane, string[]>();
    for (const [name, { lane }] of this.options.tasks) lanes.set(lane, [...(lanes.get(lane) ?? []), name]);
    // Fail if the queue has a version that this process does not support.
    if (lanes.size > 0) await runMigrations({ ...this.shared(), pgPool: this.pool });
    for (const [lane, names] of lanes) this.run(lane, names);
    if (lanes.size > 0) this.presence = this.newPresence(this.workerPools.ids);
    this.whenMade();
    const ends = AbortSignal.any([this.stopping.signal, this.closing.signal]);
    this.crontab = new Crontab(this.pool, this.options, this.clock, this.queue).run(ends, (error) => {
      this.options.logger.warn(`Schedules were not looked at: ${loggedError(error).message}`);
    });
  }

  /**
   * Starts the workers of a lane. Does not use graphile-worker's `run`, because its crontab has timers that overflow.
   */
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
    this.inHand.watch(events);
    events.on('worker:getJob:empty', () => lead.worker?.emptyAt.set(lane, performance.now()));
    const options: WorkerPoolOptions = {
      concurrency: LANES[lane],
      // Do not handle signals, because the app's own shutdown stops the workers.
      noHandleSignals: true,
      events,
      // Graphile-worker awaits `mayLook` before each search for a job, so a job begins only while others can see this
      // worker.
      forbiddenFlags: () => worker().mayLook(lane),
      // Write results in batches, because a failed write of a batch ends only this worker, not the process.
      preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
      ...this.shared(),
    };
    this.workerPools.add(events, () => runTaskList(options, taskList, this.pool));
  }

  private shared(): { readonly schema: string; readonly logger: WorkerLogger } {
    const { lead } = this;
    const logger = new WorkerLogger(() => (level: string, message, meta) => lead.worker?.log(level, message, meta));
    return { schema: this.queue.schema, logger };
  }

  /**
   * Resolves when a worker of the lane may search for a job.
   * @returns null, because no flags are forbidden
   */
  private async mayLook(lane: Lane): Promise<null> {
    await this.made;
    const { signal } = this.closing;
    // Let a lane without jobs wait briefly, so that one search finds many new jobs.
    const quietMs = (this.emptyAt.get(lane) ?? 0) + QUIET_MS - performance.now();
    if (quietMs > 0) await pause(quietMs, undefined, { signal }).catch(() => undefined);
    await this.presence?.shown();
    while (this.isTooSoon(lane) && !signal.aborted && !this.stopping.signal.aborted)
      await pause(CLOCK_LOOK_MS, undefined, { signal: this.stopping.signal }).catch(() => undefined);
    return null;
  }

  /** Returns true if the jobs of a lane must wait because the clock may be wrong. */
  private isTooSoon(lane: Lane): boolean {
    if (lane === 'timed') return !this.clock.allowsTimedWork;
    return lane === 'looks' ? !this.clock.allowsLooks : lane === 'webhooks' && !this.clock.isRight;
  }

  private async perform(name: string, payload: unknown, job: QueuedJob): Promise<void> {
    const { signal: stopping } = this.stopping;
    const task = this.options.tasks.get(name);
    if (!task) throw new Error(`There is no task ${name}`);
    const ends = this.presence ? [stopping, this.presence.signal] : [stopping];
    const work = { ...job, task: name, payload };
    const run = (signal: AbortSignal) => runInTrace(work, task.lane, () => task.run(payload, { signal }));
    try {
      await this.runWatched(() => withAnySignal(ends, run), work);
    } catch (error) {
      if (stopping.aborted) this.inHand.leaveUnfinished(job.id);
      throw error;
    }
  }

  /** Runs a job, alone if it may have crashed its process. Skips a job that was set aside. */
  private async runWatched(run: () => Promise<void>, work: QueuedWork & { readonly attempts: number }): Promise<void> {
    const { pool, suspects, loneRunner } = this;
    const suspect = await suspects.find(pool, work, work.attempts);
    if (suspect?.isSetAside) return;
    if (suspect && suspect.deaths >= DEATHS_BESIDE_OTHERS) {
      // The record must not say that the job runs alone, because another job may cause the next crash.
      if (suspect.isAlone) await suspects.note(pool, work, false);
      await loneRunner.alone(async () => {
        await suspects.note(pool, work, true);
        await run().finally(() => suspects.note(pool, work, false));
      });
    } else await loneRunner.together(run);
    if (suspect) await suspects.clear(pool, work);
  }

  private newPresence(workerIds: readonly string[]): WorkerPresence {
    const { url, schema = null, tasks, abandonedAfterMs, afterDeath, claimant, logger } = this.options;
    const options = { workerIds, tasks: [...tasks.keys()], abandonedAfterMs, afterDeath };
    const abandoned = new AbandonedJobs(options, this.suspects, this.stopNotes, logger, this.queue);
    return new WorkerPresence({
      url,
      schema,
      workerIds,
      claimant,
      // Release the jobs well before other workers may take them.
      lostAfterMs: abandonedAfterMs * (3 / 5),
      beatMs: abandonedAfterMs / 6,
      beat: async (client) => {
        await abandoned.recover(client);
        await this.inHand.confirm(client);
      },
      onLost: () => {
        // Close the connections, because a query on a silently dead connection would wait for 15 minutes.
        this.pool.disconnect();
        void this.inHand.note();
      },
      onShownAgain: async () => {
        // Keep the note of a stopping worker, which reconnects only for a moment.
        if (!this.stopping.signal.aborted) await this.inHand.deleteNote();
      },
      logger,
    });
  }

  private log(level: string, message: string, meta?: object): void {
    const { logger } = this.options;
    if (meta && 'failure' in meta) {
      const { job, error } = meta as unknown as { job: QueuedJob; error: unknown };
      if (!this.inHand.isUnfinished(job.id)) reportFailedJob(logger, job, error);
    }
    // During a stop, jobs that do not end are logged once, where the worker abandons them.
    else if (level === 'error' && !this.stopping.signal.aborted) logger.error(message);
    else if (level === 'warning') logger.warn(message);
  }
}
