import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import { Logger as WorkerLogger, parseCronItems, run, type Runner, type Task, type TaskList } from 'graphile-worker';
import { taskOf } from './job-handler.decorator.js';
import type { JobContext } from './job.js';
import { JobsOptions } from './jobs.options.js';
import { scheduleOf, type Schedule } from './scheduled.decorator.js';

type Method = (payload?: unknown, context?: JobContext) => Promise<void>;

/** Runs the job handlers and the scheduled methods of every provider while the app is up. */
@Injectable()
export class JobRunner implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('Jobs');
  private runner: Runner | null = null;

  constructor(
    private readonly options: JobsOptions,
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    if (this.options.run === false) return;
    const { schedules, taskList } = this.tasks();
    this.runner = await run({
      connectionString: this.options.url,
      concurrency: 4,
      maxPoolSize: 6,
      // The app's own shutdown stops the runner.
      noHandleSignals: true,
      taskList,
      parsedCronItems: parseCronItems(
        schedules.map(({ name, crontab }) => ({ task: name, identifier: name, match: crontab })),
      ),
      logger: new WorkerLogger(() => (level: string, message) => {
        if (level === 'error') this.logger.error(message);
        else if (level === 'warning') this.logger.warn(message);
      }),
    });
  }

  /** Before the database connections close, which handlers use. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.runner?.stop();
  }

  private tasks(): { schedules: Schedule[]; taskList: TaskList } {
    const schedules: Schedule[] = [];
    const taskList: Record<string, Task> = {};
    for (const { instance, method } of this.methods()) {
      const schedule = scheduleOf(method);
      if (schedule) {
        schedules.push(schedule);
        taskList[schedule.name] = () => method.call(instance);
      }
      const task = taskOf(method);
      if (task) taskList[task] = (payload, { abortSignal }) => method.call(instance, payload, { signal: abortSignal });
    }
    return { schedules, taskList };
  }

  private methods(): { instance: object; method: Method }[] {
    // A provider under two tokens (`useExisting`) is one instance, to be looked at once.
    const instances = new Set(this.discovery.getProviders().map(({ instance }): unknown => instance));
    return [...instances].flatMap((instance) => {
      if (typeof instance !== 'object' || instance === null) return [];
      const methods = instance as Record<string, Method | undefined>;
      return this.scanner.getAllMethodNames(Object.getPrototypeOf(methods) as object).flatMap((name) => {
        const method = methods[name];
        return method ? [{ instance, method }] : [];
      });
    });
  }
}
