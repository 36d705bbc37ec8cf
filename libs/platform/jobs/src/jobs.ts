import { Database, type QueueTables, queueTables } from '@passwright/database';
import { Injectable, Optional } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { linkTrace } from '@passwright/core';
import type { Job, JobClass } from './job.js';
import { JobDiscoveryService } from './job-discovery.service.js';
import { type JobFlags, traceFlags, traceOf } from './job-trace.js';
import { KEYED, type QueueCounts, queueCounts, queueKey, SUSPECT } from './queue.js';
import { type JobSetAside, listSetAside, suspect, takeUp } from './set-aside.js';
import type { SuspectWork } from './suspect-work.js';

/** Adds jobs to the queue in the same Postgres. */
@Injectable()
export class Jobs {
  private readonly queue: QueueTables;
  private readonly sql: ReturnType<typeof statements>;

  /** @param database names the schema that the queue belongs to */
  constructor(
    @Optional() database?: Database,
    @Optional() private readonly handlers?: JobDiscoveryService,
  ) {
    this.queue = queueTables(database?.schema ?? null);
    this.sql = statements(this.queue);
  }

  /** Adds a job, which commits or rolls back with `tx`. It replaces a job with the same key that has not begun. */
  async add(tx: EntityManager, job: Job): Promise<void> {
    await this.addMany(tx, [job]);
  }

  /**
   * Adds jobs like `add`, in one statement. Jobs with a time, of a class with `runsAtEarliest`, need two more
   * statements. If several jobs have the same key, the last one counts.
   */
  async addMany(tx: EntityManager, jobs: readonly Job[]): Promise<void> {
    const others = jobs.filter((job) => !isPlannedAtEarliest(job));
    if (others.length > 0) await tx.query(this.sql.add, [JSON.stringify(specsOf(others)), false]);
    if (others.length === jobs.length) return;
    const latestFirst = jobs.filter(isPlannedAtEarliest).sort((a, b) => b.runAt.getTime() - a.runAt.getTime());
    const specs = [JSON.stringify(specsOf(latestFirst))];
    await tx.query(this.sql.add, [...specs, true]);
    await tx.query(this.sql.hasten, specs);
  }

  /**
   * Removes waiting jobs of a class from the queue, for a handler that does their work together with its own. They are
   * done when `tx` commits. @param like properties that the payloads must have. @returns the payloads
   */
  async takeAlong<Payload extends object>(
    tx: EntityManager,
    job: JobClass<Payload>,
    limit: number,
    like: Partial<Payload> = {},
  ): Promise<Payload[]> {
    type Taken = { readonly payload: Payload; readonly flags: JobFlags };
    const values = [job.task, JSON.stringify(like), limit];
    const [taken] = await tx.query<[Taken[], number]>(this.sql.takeAlong, values);
    for (const { flags } of taken) linkTrace(traceOf(flags));
    return taken.map(({ payload }) => payload);
  }

  /**
   * Adds one job for units of work that have probably crashed their process twice (see `SuspectWork`). Leaves out units
   * that are set aside or already have such a job.
   */
  async addSuspects(tx: EntityManager, work: SuspectWork): Promise<void> {
    const job = await suspect(tx, work, this.queue);
    if (job) await tx.query(this.sql.add, [JSON.stringify(specsOf([job], [KEYED, SUSPECT])), false]);
  }

  /** Lists the jobs that were set aside, oldest first. */
  listSetAside(reads: EntityManager): Promise<JobSetAside[]> {
    return listSetAside(reads);
  }

  /** Puts back into the queue a job that was set aside. @returns false if there is no such job */
  takeUp(tx: EntityManager, id: string): Promise<boolean> {
    return takeUp(tx, id, this.queue);
  }

  /** Lists the tasks that this process has handlers for. Works once all providers exist. @throws TaskTaken */
  tasks(): string[] {
    return [...(this.handlers?.find().tasks.keys() ?? [])];
  }

  /** Counts the jobs in each state, for monitoring. */
  count(reads: EntityManager): Promise<QueueCounts> {
    return queueCounts(reads, this.queue);
  }
}

/**
 * Adds jobs. A due job that is added again under its key keeps its place, because a busy key would otherwise wait for
 * ever. If $2 is true, a planned job keeps its time unless the new time is earlier.
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
 * Corrects the times of jobs that were just added: each is due at its requested time or at its stored time, whichever
 * is earlier. `addSql` may have kept a later stored time, which another transaction committed only after the statement
 * began.
 */
const hastenSql = (queue: QueueTables) => `
  UPDATE ${queue.jobs} job SET run_at = spec.run_at
    FROM json_populate_recordset(NULL::${queue.jobSpec}, $1::json) spec
   WHERE job.key = spec.job_key AND job.run_at > spec.run_at AND job.is_available`;

/** Takes only jobs that have never begun. A job that has failed runs again by itself. */
const takeAlongSql = (queue: QueueTables) => `
  DELETE FROM ${queue.jobs} WHERE id = ANY (ARRAY(
    SELECT id FROM ${queue.jobs}
     WHERE task_id = (SELECT id FROM ${queue.tasks} WHERE identifier = $1)
       AND is_available AND attempts = 0 AND run_at <= now() AND payload::jsonb @> $2::jsonb
     ORDER BY run_at LIMIT $3 FOR UPDATE SKIP LOCKED))
  RETURNING payload, flags`;

const statements = (queue: QueueTables) => ({
  add: addSql(queue),
  hasten: hastenSql(queue),
  takeAlong: takeAlongSql(queue),
});

/** Returns true for a job with a time, of a class with `runsAtEarliest`. */
function isPlannedAtEarliest(job: Job): job is Job & { readonly runAt: Date } {
  const { runsAtEarliest = false } = job.constructor as unknown as JobClass;
  return runsAtEarliest && job.runAt !== undefined;
}

/**
 * Converts jobs to the form in which the queue takes them. Sorts keyed jobs by key, so that transactions that add the
 * same jobs do not deadlock.
 */
function specsOf(jobs: readonly Job[], flags = [KEYED]): object[] {
  const traced = traceFlags();
  const specs = jobs.map((job) => {
    const { task, maxAttempts } = job.constructor as unknown as JobClass;
    const plain = { identifier: task, payload: job.payload, run_at: job.runAt, max_attempts: maxAttempts };
    if (job.key === undefined) return traced.length > 0 ? { ...plain, flags: traced } : plain;
    return { ...plain, job_key: queueKey(task, job.key), flags: [...flags, ...traced] };
  });
  const keyed = new Map(specs.flatMap((spec) => ('job_key' in spec ? [[spec.job_key, spec]] : [])));
  const inOrder = [...keyed.keys()].sort().map((key) => keyed.get(key) as object);
  return [...specs.filter((spec) => !('job_key' in spec)), ...inOrder];
}
