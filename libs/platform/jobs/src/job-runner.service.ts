import { setTimeout as pause } from 'node:timers/promises';
import {
  type BeforeApplicationShutdown,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  Optional,
} from '@nestjs/common';
import { BlobStorage, loggedError, type Schedule } from '@passwright/core';
import { parseCronItems } from 'graphile-worker';
import { Database, DatabaseClock } from '@passwright/database';
import { ABANDONED_AFTER_MS } from './abandoned-jobs.js';
import { Claimant } from './outbound/claimant.service.js';
import { JobDiscoveryService } from './job-discovery.service.js';
import { JobWorker } from './job-worker.js';
import { JobsOptions } from './jobs.options.js';

const STOP_WITHIN_MS = 5000;
const RESTART_MS = 1000;

/** Runs the job handlers and the scheduled methods of every provider while the app is running. */
@Injectable()
export class JobRunnerService implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('Jobs');
  private readonly stopping = new AbortController();
  private worker: JobWorker | null = null;
  private running: Promise<void> = Promise.resolve();

  constructor(
    private readonly options: JobsOptions,
    private readonly handlers: JobDiscoveryService,
    private readonly claimant: Claimant,
    @Optional() private readonly clock?: DatabaseClock,
    @Optional() private readonly storage?: BlobStorage,
    @Optional() private readonly database?: Database,
  ) {}

  /** Starts the worker if this process runs jobs. @throws TaskTaken, even in a process that runs no jobs */
  async onApplicationBootstrap(): Promise<void> {
    const found = this.handlers.find();
    if (this.options.run === false) return;
    const eventTasks = (event: Schedule['after']) =>
      found.schedules.flatMap(({ name, crontab, after = 'clock went back' }) =>
        crontab === undefined && after === event ? name : [],
      );
    const start = () =>
      JobWorker.start({
        url: this.options.url,
        schema: this.database?.schema ?? null,
        tasks: found.tasks,
        crons: parseCronItems(
          found.schedules.flatMap(({ name, crontab }) =>
            crontab === undefined ? [] : { task: name, identifier: name, match: crontab },
          ),
        ),
        repairs: eventTasks('clock went back'),
        afterDeath: eventTasks('process died'),
        claimant: this.claimant,
        abandonedAfterMs: this.options.abandonedAfterMs ?? ABANDONED_AFTER_MS,
        logger: this.logger,
        ...(this.clock && { clock: this.clock }),
        ...(this.storage && { storage: this.storage }),
      });
    this.worker = await start();
    this.running = this.keepRunning(start);
  }

  /** Stops the worker. This hook runs before the database connections close, because handlers use them. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await this.worker?.stop(this.options.stopWithinMs ?? STOP_WITHIN_MS);
    await this.running;
  }

  /**
   * Starts a new worker when one ends by itself. A worker ends if it cannot write the result of a job, or if the queue
   * was updated.
   */
  private async keepRunning(start: () => Promise<JobWorker>): Promise<void> {
    const { signal } = this.stopping;
    for (;;) {
      await this.worker?.ends();
      if (signal.aborted) return;
      this.logger.error('The worker has ended by itself; another one is started');
      // Wait without a limit, so that a job that still runs in this process does not start a second time.
      await this.worker?.stop(null).catch(() => undefined);
      this.worker = null;
      while (!this.worker) {
        await pause(RESTART_MS, undefined, { signal }).catch(() => undefined);
        if (signal.aborted) return;
        const worker = await start().catch((error: unknown) => {
          this.logger.error(`No worker could be started: ${loggedError(error).message}`);
          return null;
        });
        // The shutdown began meanwhile and found no worker, so stop the new one now.
        if (signal.aborted) return worker?.stop(STOP_WITHIN_MS);
        this.worker = worker;
      }
    }
  }
}
