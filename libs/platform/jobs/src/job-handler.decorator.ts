import type { JobClass, JobContext } from './job.js';

const JOB = 'passwright:job';

/**
 * Marks the method that runs the jobs of a class. The method runs outside of any transaction, at least once per job. It
 * must therefore be idempotent, and read the current state instead of trusting the payload. When it throws, the job
 * runs again after a pause that grows with each attempt.
 */
export function JobHandler<Payload extends object>(job: JobClass<Payload>) {
  return <Method extends (payload: Payload, context: JobContext) => Promise<void>>(
    _target: object,
    _key: string,
    descriptor: TypedPropertyDescriptor<Method>,
  ) => Reflect.defineMetadata(JOB, job, descriptor.value as object);
}

/** Returns the class of the jobs that `method` handles; undefined without `@JobHandler`. */
export function jobOf(method: object): JobClass | undefined {
  return Reflect.getMetadata(JOB, method) as JobClass | undefined;
}
