import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import { Logger as WorkerLogger, parseCronItems, run, type Runner, type TaskList } from 'graphile-worker';
import { JobsOptions } from './jobs.options.js';
import { scheduleOf, type Schedule } from './scheduled.decorator.js';

/** Runs the scheduled methods of every provider while the app is up. */
@Injectable()
export class JobRunner implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger('Jobs');
  private runner: Runner | null = null;

  constructor(
    private readonly options: JobsOptions,
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    const scheduled = this.scheduledMethods();
    const taskList: TaskList = Object.fromEntries(scheduled.map(({ schedule, run }) => [schedule.name, run]));
    this.runner = await run({
      connectionString: this.options.url,
      concurrency: 2,
      maxPoolSize: 4,
      // The app's own shutdown stops the runner.
      noHandleSignals: true,
      taskList,
      parsedCronItems: parseCronItems(
        scheduled.map(({ schedule: { name, crontab } }) => ({ task: name, identifier: name, match: crontab })),
      ),
      logger: new WorkerLogger(() => (level: string, message) => {
        if (level === 'error') this.logger.error(message);
        else if (level === 'warning') this.logger.warn(message);
      }),
    });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.runner?.stop();
  }

  private scheduledMethods(): { schedule: Schedule; run: () => Promise<void> }[] {
    // A provider under two tokens (`useExisting`) is one instance, to be scheduled once.
    const instances = new Set(this.discovery.getProviders().map(({ instance }): unknown => instance));
    return [...instances].flatMap((instance) => {
      if (typeof instance !== 'object' || instance === null) return [];
      const methods = instance as Record<string, () => Promise<void>>;
      return this.scanner.getAllMethodNames(Object.getPrototypeOf(methods) as object).flatMap((name) => {
        const method = methods[name];
        const schedule = method && scheduleOf(method);
        return schedule ? [{ schedule, run: () => method.call(instance) }] : [];
      });
    });
  }
}
