import { Injectable } from '@nestjs/common';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import { jobOf } from './job-handler.decorator.js';
import type { JobContext, JobTask } from './job.js';

import { scheduleOf, type Schedule } from '@passwright/core';

type Method = (payload?: unknown, context?: JobContext) => Promise<void>;

/** The tasks and schedules that a process can run. */
export interface FoundHandlers {
  readonly schedules: readonly Schedule[];
  /** The tasks by name. The name of a schedule is also the name of its task. */
  readonly tasks: ReadonlyMap<string, JobTask>;
}

/** Two methods handle one task. */
export class TaskTaken extends Error {
  constructor(task: string, one: string, other: string) {
    super(`The task ${task} has two handlers, ${one} and ${other}; give one of them another name, or remove it`);
    this.name = 'TaskTaken';
  }
}

/** Finds the methods marked `@JobHandler` or `@Scheduled` among all providers. */
@Injectable()
export class JobDiscoveryService {
  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
  ) {}

  /** Finds all handlers and schedules. @throws TaskTaken */
  find(): FoundHandlers {
    const schedules: Schedule[] = [];
    const tasks = new Map<string, JobTask>();
    const names = new Map<string, string>();
    for (const { instance, name, method } of this.methods()) {
      const schedule = scheduleOf(method);
      const job = jobOf(method);
      const task = schedule?.name ?? job?.task;
      if (task === undefined) continue;
      const place = `${instance.constructor.name}.${name}`;
      const taken = names.get(task);
      if (taken !== undefined) throw new TaskTaken(task, taken, place);
      names.set(task, place);
      if (schedule) schedules.push(schedule);
      const run = (payload: unknown, context: JobContext) =>
        schedule ? method.call(instance, context) : method.call(instance, payload, context);
      tasks.set(task, { run, lane: schedule ? (schedule.lane ?? 'timed') : (job?.lane ?? 'background') });
    }
    return { schedules, tasks };
  }

  private methods(): { instance: object; name: string; method: Method }[] {
    // Search each instance once, because a provider with two tokens (`useExisting`) is one instance.
    const instances = new Set(this.discovery.getProviders().map(({ instance }): unknown => instance));
    return [...instances].flatMap((instance) => {
      if (typeof instance !== 'object' || instance === null) return [];
      const methods = instance as Record<string, Method | undefined>;
      return this.scanner.getAllMethodNames(Object.getPrototypeOf(methods) as object).flatMap((name) => {
        const method = methods[name];
        return method ? [{ instance, name, method }] : [];
      });
    });
  }
}
