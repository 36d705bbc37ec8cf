import type { EntityManager } from 'typeorm';
import type { Job, JobClass } from './job.js';
import { KEYED, queueKey } from './queue.js';
import { DEATHS_BESIDE_OTHERS, keyedIdentity } from './suspect-jobs.js';

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

/** Notes that keyed jobs may end their process. @returns those that are not set aside */
export async function suspect(tx: EntityManager, jobs: readonly Job[]): Promise<Job[]> {
  const byId = new Map(
    jobs.map((job) => [keyedIdentity((job.constructor as unknown as JobClass).task, job.payload), job]),
  );
  const ids = [...byId.keys()].sort();
  const rows = ids.map((id) => suspectRow(id, byId.get(id) as Job));
  const noted = await tx.query<{ id: string }[]>(suspectSql, [JSON.stringify(rows)]);
  return noted.map(({ id }) => byId.get(id) as Job);
}

const suspectSql = `
  INSERT INTO suspect_job AS known (id, task, payload, job_key, max_attempts, deaths)
  SELECT id, task, payload, job_key, max_attempts, ${DEATHS_BESIDE_OTHERS}
  FROM json_to_recordset($1::json) AS s(id text, task text, payload json, job_key text, max_attempts smallint)
  ON CONFLICT (id) DO UPDATE SET deaths = greatest(known.deaths, excluded.deaths) WHERE known.set_aside_at IS NULL
  RETURNING id`;

function suspectRow(id: string, job: Job): object {
  const { task, maxAttempts = 25 } = job.constructor as unknown as JobClass;
  if (job.key === undefined) throw new Error(`A job of ${task} needs a key to be recognised again`);
  return { id, task, payload: job.payload, job_key: queueKey(task, job.key), max_attempts: maxAttempts };
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
