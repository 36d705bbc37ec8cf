/** A method that the queue's crontab runs. */
export interface Schedule {
  /** Stable: it names the task in the queue. */
  readonly name: string;
  /** Five fields of cron, UTC. */
  readonly crontab: string;
}

const SCHEDULE = 'passwright:schedule';

/**
 * Runs a provider's method at these times (UTC), once over all nodes. The method is given a `JobContext` and
 * nothing else, is idempotent, and reads the time from `Clock`. Example: `@Scheduled({ name: 'sessions.delete-expired', crontab: '7 * * * *' })`.
 */
export function Scheduled(schedule: Schedule): MethodDecorator {
  return (_target, _key, descriptor) => Reflect.defineMetadata(SCHEDULE, schedule, descriptor.value as object);
}

export function scheduleOf(method: object): Schedule | undefined {
  return Reflect.getMetadata(SCHEDULE, method) as Schedule | undefined;
}
