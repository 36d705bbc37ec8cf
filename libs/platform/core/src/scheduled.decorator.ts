/** The schedule of a method that `JobsModule` runs. */
export interface Schedule {
  /** The name of the task in the queue. It must never change. */
  readonly name: string;
  /** Five cron fields, in UTC. Without them, the method runs after an event (see `after`). */
  readonly crontab?: string;
  /**
   * The event that runs a method without `crontab`. Either the database's clock was ahead and has been set back (the
   * default), or a process has died while it ran jobs.
   */
  readonly after?: 'clock went back' | 'process died';
  /**
   * Use `looks` for a method that neither deletes nor expires data: after a clock jump, it may run earlier than a
   * `timed` method. Default: `timed`.
   */
  readonly lane?: 'timed' | 'looks';
}

const SCHEDULE = 'passwright:schedule';

/**
 * Makes `JobsModule` run a provider's method on this schedule (UTC), once across all nodes. The method gets a
 * `JobContext` and no other argument, must be idempotent, and reads the time from `Clock`. Example: `@Scheduled({ name:
 * 'sessions.delete-expired', crontab: '7 * * * *' })`.
 */
export function Scheduled(schedule: Schedule): MethodDecorator {
  return (_target, _key, descriptor) => Reflect.defineMetadata(SCHEDULE, schedule, descriptor.value as object);
}

/** Returns the schedule of a method; undefined without `@Scheduled`. */
export function scheduleOf(method: object): Schedule | undefined {
  return Reflect.getMetadata(SCHEDULE, method) as Schedule | undefined;
}
