import type { EntityManager } from 'typeorm';
import type { Job, JobClass } from './job.js';
import { KEYED } from './queue.js';
import { DEATHS_AT_MOST } from './suspect-jobs.js';

/** A job that is not run any more, as its process died each time it ran. */
export interface JobSetAside {
  readonly id: string;
  readonly task: string;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly setAsideAt: Date;
}

interface QueuedAgain {
  readonly task: string;
  readonly payload: object;
  readonly job_key: string | null;
  readonly max_attempts: number;
}

export async function setAside(tx: EntityManager, id: string, job: Job): Promise<void> {
  const { task, maxAttempts = 25 } = job.constructor as unknown as JobClass;
  await tx.query(
    `INSERT INTO suspect_job (id, task, payload, max_attempts, deaths, set_aside_at)
     VALUES ($1, $2, $3, $4, ${DEATHS_AT_MOST}, now()) ON CONFLICT (id) DO NOTHING`,
    [id, task, JSON.stringify(job.payload), maxAttempts],
  );
}

export function listSetAside(reads: EntityManager): Promise<JobSetAside[]> {
  return reads.query<JobSetAside[]>(
    `SELECT id, task, payload, set_aside_at AS "setAsideAt" FROM suspect_job
      WHERE set_aside_at IS NOT NULL ORDER BY set_aside_at, id`,
  );
}

export async function takeUp(tx: EntityManager, id: string): Promise<boolean> {
  const [rows] = await tx.query<[QueuedAgain[], number]>(
    `DELETE FROM suspect_job WHERE id = $1 AND set_aside_at IS NOT NULL RETURNING task, payload, job_key, max_attempts`,
    [id],
  );
  const [job] = rows;
  if (!job) return false;
  const flags = job.job_key === null ? null : [KEYED];
  await tx.query(
    `SELECT FROM graphile_worker.add_job($1, payload := $2, job_key := $3, max_attempts := $4, flags := $5)`,
    [job.task, JSON.stringify(job.payload), job.job_key, job.max_attempts, flags],
  );
  return true;
}
