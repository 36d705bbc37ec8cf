import type { QueueTables } from '@passwright/database';
import type { EntityManager } from 'typeorm';
import { DEFAULT_MAX_ATTEMPTS, type JobClass } from './job.js';
import { KEYED, queueKey } from './queue.js';
import { DEATHS_BESIDE_OTHERS, keyedIdentity } from './suspect-jobs.js';
import type { SuspectWork } from './suspect-work.js';

/** A job that no longer runs, because each run ended with the death of the process. */
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

/**
 * Records that units of work may crash their process.
 * @returns one job for the units that are not set aside and have no job yet; null if there are no such units
 */
export async function suspect(tx: EntityManager, work: SuspectWork, queue: QueueTables): Promise<SuspectWork | null> {
  const { task, maxAttempts = DEFAULT_MAX_ATTEMPTS } = work.constructor as unknown as JobClass;
  const { ids, ...owner } = work.payload;
  const rows = await tx.query<{ id: string }[]>(knownSql(queue), [task, JSON.stringify(owner)]);
  const known = new Set(rows.map(({ id }) => id));
  const left = ids.filter((id) => !known.has(id)).sort();
  if (left.length === 0) return null;
  const SameWork = work.constructor as new (payload: SuspectWork['payload']) => SuspectWork;
  const job = new SameWork({ ...work.payload, ids: left });
  const id = keyedIdentity(task, job.payload);
  await tx.query(suspectSql, [id, task, JSON.stringify(job.payload), queueKey(task, job.key), maxAttempts]);
  return job;
}

/** Selects the units that were set aside, and those that a waiting job will try. */
const knownSql = (queue: QueueTables) => `
  SELECT jsonb_array_elements_text(known.payload::jsonb -> 'ids') AS id FROM suspect_job known
   WHERE known.task = $1 AND known.payload::jsonb - 'ids' = $2::jsonb
     AND (known.set_aside_at IS NOT NULL OR EXISTS (
       SELECT FROM ${queue.jobs} job
        WHERE job.key = known.job_key AND (job.is_available OR job.locked_by IS NOT NULL)))`;

const suspectSql = `
  INSERT INTO suspect_job AS known (id, task, payload, job_key, max_attempts, deaths)
  VALUES ($1, $2, $3, $4, $5, ${DEATHS_BESIDE_OTHERS})
  ON CONFLICT (id) DO UPDATE SET deaths = greatest(known.deaths, excluded.deaths)`;

export function listSetAside(reads: EntityManager): Promise<JobSetAside[]> {
  return reads.query<JobSetAside[]>(
    `SELECT id, task, payload, set_aside_at AS "setAsideAt" FROM suspect_job
      WHERE set_aside_at IS NOT NULL ORDER BY set_aside_at, id`,
  );
}

export async function takeUp(tx: EntityManager, id: string, queue: QueueTables): Promise<boolean> {
  const [rows] = await tx.query<[QueuedAgain[], number]>(
    `DELETE FROM suspect_job WHERE id = $1 AND set_aside_at IS NOT NULL RETURNING task, payload, job_key, max_attempts`,
    [id],
  );
  const [job] = rows;
  if (!job) return false;
  const flags = job.job_key === null ? null : [KEYED];
  await tx.query(`SELECT FROM ${queue.addJob}($1, payload := $2, job_key := $3, max_attempts := $4, flags := $5)`, [
    job.task,
    JSON.stringify(job.payload),
    job.job_key,
    job.max_attempts,
    flags,
  ]);
  return true;
}
