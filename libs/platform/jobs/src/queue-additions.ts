import { type QueueTables, runWithNext } from '@passwright/database';
import type { EntityManager } from 'typeorm';
import { DEFAULT_MAX_ATTEMPTS, type Job, type JobClass } from './job.js';
import { traceFlags } from './job-trace.js';
import { KEYED, queueKey } from './queue.js';

/** The priority of urgent jobs. The default is 0, and lower numbers run first. */
const URGENT = -1;

/** Jobs in the form in which one statement adds them to the queue. */
export interface QueueAddition {
  readonly specs: readonly object[];
  /** If true, a planned job is only moved to an earlier time. */
  readonly atEarliest: boolean;
}

/**
 * Adds jobs to the queue with one statement, or with two if they run at the earliest of their times. The statements are
 * sent with the next one of `tx`, which fails if they fail.
 */
export async function addToQueue(
  tx: EntityManager,
  queue: QueueTables,
  { specs, atEarliest }: QueueAddition,
): Promise<void> {
  const json = JSON.stringify(specs);
  await runWithNext(tx, addSql(queue), [json, atEarliest], 'add-jobs');
  if (atEarliest) await runWithNext(tx, hastenSql(queue), [json], 'hasten-jobs');
}

/**
 * Converts jobs to additions. If several jobs have the same key, the last one counts. If their class has
 * `runsAtEarliest`, the last one runs at the earliest of their times.
 */
export function additionsOf(jobs: readonly Job[]): QueueAddition[] {
  const timeOf = earliestTimes(jobs);
  const [planned, others]: [Job[], Job[]] = [[], []];
  for (const job of jobs) (runsAtEarliest(job) && timeOf(job) ? planned : others).push(job);
  return [
    { specs: specsOf(others, [KEYED], timeOf), atEarliest: false },
    { specs: specsOf(planned, [KEYED], timeOf), atEarliest: true },
  ].filter(({ specs }) => specs.length > 0);
}

/**
 * Adds jobs. A job that is due now keeps the time of a waiting job with the same key if that is earlier, because
 * otherwise a busy key would always move to the end of the queue. A future time replaces the time of the waiting job.
 * If $2 is true, only an earlier time does.
 */
const addSql = (queue: QueueTables) => `
  SELECT FROM ${queue.addJobs}(ARRAY(
    SELECT (identifier, payload, queue_name,
      CASE WHEN run_at > now() AND NOT $2::boolean THEN run_at ELSE least(coalesce(run_at, now()), (
        SELECT waiting.run_at FROM ${queue.jobs} waiting
         WHERE waiting.key = spec.job_key AND waiting.is_available)) END,
      max_attempts, job_key, priority, flags)::${queue.jobSpec}
    FROM json_populate_recordset(NULL::${queue.jobSpec}, $1::json) spec), $2::boolean)`;

/**
 * Corrects the times of jobs that were just added: each is due at its requested or its stored time, whichever is
 * earlier. `addSql` cannot see a time that another transaction commits while the statement runs.
 */
const hastenSql = (queue: QueueTables) => `
  UPDATE ${queue.jobs} job SET run_at = spec.run_at
    FROM json_populate_recordset(NULL::${queue.jobSpec}, $1::json) spec
   WHERE job.key = spec.job_key AND job.run_at > spec.run_at AND job.is_available`;

function runsAtEarliest(job: Job): boolean {
  return (job.constructor as unknown as JobClass).runsAtEarliest ?? false;
}

/** Returns a function that returns the time of a job; undefined for a job that runs immediately. */
function earliestTimes(jobs: readonly Job[]): (job: Job) => Date | undefined {
  const times = new Map<string, Date | undefined>();
  const keyOf = (job: Job) => (runsAtEarliest(job) && job.key !== undefined ? nameOf(job, job.key) : null);
  for (const job of jobs) {
    const key = keyOf(job);
    if (key !== null) times.set(key, times.has(key) ? earlierOf(times.get(key), job.runAt) : job.runAt);
  }
  return (job) => {
    const key = keyOf(job);
    return key === null ? job.runAt : times.get(key);
  };
}

function earlierOf(one: Date | undefined, other: Date | undefined): Date | undefined {
  return one && other && (other < one ? other : one);
}

const nameOf = (job: Job, key: string) => queueKey((job.constructor as unknown as JobClass).task, key);

/**
 * Converts jobs to the form in which the queue takes them. Sorts keyed jobs by key, so that transactions that add the
 * same jobs do not deadlock.
 */
export function specsOf(
  jobs: readonly Job[],
  flags = [KEYED],
  timeOf: (job: Job) => Date | undefined = ({ runAt }) => runAt,
): object[] {
  const traced = traceFlags();
  const specs = jobs.map((job) => {
    const { task, maxAttempts = DEFAULT_MAX_ATTEMPTS, isUrgent } = job.constructor as unknown as JobClass;
    const plain = {
      identifier: task,
      payload: job.payload,
      run_at: timeOf(job),
      max_attempts: maxAttempts,
      ...(isUrgent && { priority: URGENT }),
    };
    if (job.key === undefined) return traced.length > 0 ? { ...plain, flags: traced } : plain;
    return { ...plain, job_key: nameOf(job, job.key), flags: [...flags, ...traced] };
  });
  const keyed = new Map(specs.flatMap((spec) => ('job_key' in spec ? [[spec.job_key, spec]] : [])));
  const inOrder = [...keyed.keys()].sort().map((key) => keyed.get(key) as object);
  return [...specs.filter((spec) => !('job_key' in spec)), ...inOrder];
}
