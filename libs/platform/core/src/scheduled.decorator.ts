/** The times of a method that `JobsModule` runs. */
export interface Schedule {
  /** Stable: it names the task in the queue. */
  readonly name: string;
  /** Five fields of cron, UTC. Without them it runs when the database's clock was ahead and has gone back. */
  readonly crontab?: string;
  /** `looks` for what deletes and expires nothing: a jump of the time that is over does not hold it. Default `timed`. */
  readonly lane?: 'timed' | 'looks';
}

const SCHEDULE = 'passwright:schedule';

/**
 * Has `JobsModule` run a provider's method at these times (UTC), once over all nodes. The method is given a `JobContext` and
 * nothing else, is idempotent, and reads the time from `Clock`. Example: `@Scheduled({ name: 'sessions.delete-expired', crontab: '7 * * * *' })`.
 */
export function Scheduled(schedule: Schedule): MethodDecorator {
  return (_target, _key, descriptor) => Reflect.defineMetadata(SCHEDULE, schedule, descriptor.value as object);
}

/** Returns the times at which `method` is run; undefined without `@Scheduled`. */
export function scheduleOf(method: object): Schedule | undefined {
  return Reflect.getMetadata(SCHEDULE, method) as Schedule | undefined;
}
