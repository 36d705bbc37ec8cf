import type { JobClass, JobContext } from './job.js';

const JOB = 'passwright:job';

/**
 * The method that does a job. It runs outside any transaction, at least once: it is idempotent and reads the current
 * state rather than trust the payload. When it throws, it is run again later, with growing pauses.
 */
export function JobHandler<Payload extends object>(job: JobClass<Payload>) {
  return <Method extends (payload: Payload, context: JobContext) => Promise<void>>(
    _target: object,
    _key: string,
    descriptor: TypedPropertyDescriptor<Method>,
  ) => Reflect.defineMetadata(JOB, job, descriptor.value as object);
}

/** Returns the class of the jobs that `method` does. */
export function jobOf(method: object): JobClass | undefined {
  return Reflect.getMetadata(JOB, method) as JobClass | undefined;
}
