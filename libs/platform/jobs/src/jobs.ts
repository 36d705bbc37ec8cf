import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Job, JobClass } from './job.js';
import { KEYED, type QueueCounts, queueCounts, queueKey, SUSPECT } from './queue.js';
import { type JobSetAside, listSetAside, suspect, takeUp } from './set-aside.js';
import type { SuspectWork } from './suspect-work.js';

/** Adds jobs to the queue in the same Postgres. */
@Injectable()
export class Jobs {
  /** Commits, or rolls back, with `tx`. A job with the key of one that has not begun takes its place in the queue. */
  async add(tx: EntityManager, job: Job): Promise<void> {
    await this.addMany(tx, [job]);
  }

  /** As `add`, in one statement however many there are. Of several with one key the last counts. */
  async addMany(tx: EntityManager, jobs: readonly Job[]): Promise<void> {
    if (jobs.length === 0) return;
    await tx.query(addSql, [JSON.stringify(specsOf(jobs))]);
  }

  /**
   * Takes waiting jobs of a class out of the queue, for a handler that does them together with its own: they are done
   * when `tx` commits. @param like what their payloads have in common. @returns their payloads
   */
  async takeAlong<Payload extends object>(
    tx: EntityManager,
    job: JobClass<Payload>,
    limit: number,
    like: Partial<Payload> = {},
  ): Promise<Payload[]> {
    const [rows] = await tx.query<[{ payload: Payload }[], number]>(takeAlongSql, [
      job.task,
      JSON.stringify(like),
      limit,
    ]);
    return rows.map(({ payload }) => payload);
  }

  /**
   * Adds one job for units that have probably ended their process twice (see `SuspectWork`). Leaves out units that are set
   * aside, or that wait for such a job already.
   */
  async addSuspects(tx: EntityManager, work: SuspectWork): Promise<void> {
    const job = await suspect(tx, work);
    if (job) await tx.query(addSql, [JSON.stringify(specsOf([job], [KEYED, SUSPECT]))]);
  }

  /** Lists what was set aside, the oldest first. */
  listSetAside(reads: EntityManager): Promise<JobSetAside[]> {
    return listSetAside(reads);
  }

  /** Adds a job that was set aside to the queue again. @returns false when there is no such job */
  takeUp(tx: EntityManager, id: string): Promise<boolean> {
    return takeUp(tx, id);
  }

  /** How many jobs there are by state, for those who watch the queue. */
  count(reads: EntityManager): Promise<QueueCounts> {
    return queueCounts(reads);
  }
}

/** Adds jobs. A due job keeps its place when its key is added again: otherwise a busy key would wait for ever. */
const addSql = `
  SELECT FROM graphile_worker.add_jobs(ARRAY(
    SELECT (identifier, payload, queue_name,
      CASE WHEN run_at > now() THEN run_at ELSE least(coalesce(run_at, now()), (
        SELECT waiting.run_at FROM graphile_worker._private_jobs waiting
         WHERE waiting.key = spec.job_key AND waiting.is_available)) END,
      max_attempts, job_key, priority, flags)::graphile_worker.job_spec
    FROM json_populate_recordset(NULL::graphile_worker.job_spec, $1::json) spec))`;

/** Only jobs that were never begun: one that failed is tried by itself. */
const takeAlongSql = `
  DELETE FROM graphile_worker._private_jobs WHERE id = ANY (ARRAY(
    SELECT id FROM graphile_worker._private_jobs
     WHERE task_id = (SELECT id FROM graphile_worker._private_tasks WHERE identifier = $1)
       AND is_available AND attempts = 0 AND run_at <= now() AND payload::jsonb @> $2::jsonb
     ORDER BY run_at LIMIT $3 FOR UPDATE SKIP LOCKED))
  RETURNING payload`;

/** As the queue takes them. Those with a key in its order: transactions that add the same ones do not deadlock. */
function specsOf(jobs: readonly Job[], flags = [KEYED]): object[] {
  const specs = jobs.map((job) => {
    const { task, maxAttempts } = job.constructor as unknown as JobClass;
    const plain = { identifier: task, payload: job.payload, run_at: job.runAt, max_attempts: maxAttempts };
    return job.key === undefined ? plain : { ...plain, job_key: queueKey(task, job.key), flags };
  });
  const keyed = new Map(specs.flatMap((spec) => ('job_key' in spec ? [[spec.job_key, spec]] : [])));
  const inOrder = [...keyed.keys()].sort().map((key) => keyed.get(key) as object);
  return [...specs.filter((spec) => !('job_key' in spec)), ...inOrder];
}
