import { type QueueTables, queueTables } from '@passwright/database';
import type { Logger } from '@nestjs/common';
import { counted } from '@passwright/core';
import type { Client } from 'pg';
import { KEYED } from './queue.js';
import type { StoppedWorkers } from './stopped-workers.js';
import type { BlamedWork, SuspectJobs } from './suspect-jobs.js';
import { PRESENCE_LOCKS, presenceKey } from './worker-presence.js';

/** The default time for which a worker must be missing before its jobs run again. */
export const ABANDONED_AFTER_MS = 6000;
const FAILED_STORED_DAYS = 30;

/**
 * Selects the workers that have locked jobs of the tasks $2 but hold no presence lock. Leaves out the workers in $1.
 */
export const goneWorkersSql = (queue: QueueTables): string => `
  WITH present AS MATERIALIZED (
    SELECT objid FROM pg_locks
     WHERE locktype = 'advisory' AND granted AND classid = ${PRESENCE_LOCKS} AND objsubid = 2
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))
  SELECT DISTINCT job.locked_by AS id
    FROM ${queue.jobs} job JOIN ${queue.tasks} task ON task.id = job.task_id
   WHERE NOT job.is_available AND job.locked_by <> ALL ($1) AND task.identifier = ANY ($2)
     AND ${presenceKey('job.locked_by')}::oid NOT IN (SELECT objid FROM present)`;

/** Deletes failed jobs whose key a later job has taken (flag $1), and jobs that failed long ago. */
export const removeSupersededSql = (queue: QueueTables): string => `DELETE FROM ${queue.jobs}
   WHERE NOT is_available AND locked_by IS NULL
     AND (key IS NULL AND flags ? $1 OR run_at < now() - interval '${FAILED_STORED_DAYS} days')`;

export interface AbandonedJobsOptions {
  /** Workers of this process. */
  readonly workerIds: readonly string[];
  /** The tasks of this process. Other tasks belong to other software, whose workers hold no presence lock. */
  readonly tasks: readonly string[];
  readonly abandonedAfterMs: number;
  /** Tasks to run when a worker has died. */
  readonly afterDeath: readonly string[];
}

interface Recovered extends BlamedWork {
  readonly exhausted: boolean;
  /** True if the worker stopped, or released its jobs, after this job had begun. */
  readonly stopped: boolean;
}

/**
 * Unlocks the jobs of a worker. For jobs that began up to $2, when the worker stopped, the last attempt does not count.
 */
const unlockJobsSql = (queue: QueueTables) => `
  UPDATE ${queue.jobs} job
     SET locked_at = NULL, locked_by = NULL, attempts = greatest(job.attempts - held.stopped::int, 0)
    FROM (SELECT id, coalesce(locked_at <= $2::timestamptz, false) AS stopped
            FROM ${queue.jobs} WHERE locked_by = $1) held,
      ${queue.tasks} task
   WHERE held.id = job.id AND job.locked_by = $1 AND task.id = job.task_id
   RETURNING job.id, task.identifier AS task, job.payload, job.flags, job.key, job.max_attempts, held.stopped,
     job.attempts >= job.max_attempts AS exhausted`;

const runAfterDeathSql = (queue: QueueTables) => `
  SELECT ${queue.addJob}(identifier, job_key := 'death:' || identifier, flags := ARRAY['${KEYED}'])
    FROM unnest($1::text[]) AS identifier ORDER BY identifier`;

/**
 * Unlocks the running jobs of dead workers, which would otherwise stay locked for four hours. Deletes old failed jobs,
 * and those whose key a later job has taken.
 */
export class AbandonedJobs {
  /** When each missing worker was first missing. */
  private readonly goneSince = new Map<string, number>();
  private session: Client | null = null;

  constructor(
    private readonly options: AbandonedJobsOptions,
    private readonly suspects: SuspectJobs,
    private readonly stopped: StoppedWorkers,
    private readonly logger: Logger,
    private readonly queue: QueueTables = queueTables(null),
  ) {}

  /**
   * Checks once for missing workers. A worker counts as dead after it was missing in every check for
   * `abandonedAfterMs`, so that it has time to reconnect.
   */
  async recover(client: Client): Promise<void> {
    // Start over after a reconnect, because the other workers may also need time to reconnect.
    if (this.session !== client) this.goneSince.clear();
    this.session = client;
    const gone = await this.gone(client);
    for (const id of this.goneSince.keys()) if (!gone.includes(id)) this.goneSince.delete(id);
    const now = performance.now();
    for (const id of gone) {
      const since = this.goneSince.get(id) ?? now;
      this.goneSince.set(id, since);
      if (now - since >= this.options.abandonedAfterMs) await this.unlock(client, id);
    }
    await this.suspects.refresh(client);
    await removeSuperseded(client, this.queue);
  }

  private async gone(client: Client): Promise<string[]> {
    const { rows } = await client.query<{ id: string }>({
      name: 'gone-workers',
      text: goneWorkersSql(this.queue),
      values: [this.options.workerIds, this.options.tasks],
    });
    return rows.map(({ id }) => id);
  }

  private async unlock(client: Client, workerId: string): Promise<void> {
    const stoppedUntil = await this.stopped.stoppedUntil(workerId);
    await client.query('BEGIN');
    try {
      // Hold the worker's lock, so that the worker cannot reconnect during this transaction.
      const { rows: locks } = await client.query<{ locked: boolean }>(
        `SELECT pg_try_advisory_xact_lock(${PRESENCE_LOCKS}, ${presenceKey('$1')}) AS locked`,
        [workerId],
      );
      const jobs = locks[0]?.locked ? await this.unlockJobs(client, workerId, stoppedUntil) : [];
      await client.query('COMMIT');
      for (const job of jobs) this.tell(job);
      if (stoppedUntil && jobs.length > 0) await this.stopped.forget([workerId]);
    } catch (error) {
      await client.query('ROLLBACK').catch(() => undefined);
      throw error;
    }
  }

  /**
   * @param stoppedUntil jobs that began up to this time did not crash their process, so their last attempt does not
   * count
   */
  private async unlockJobs(client: Client, workerId: string, stoppedUntil: Date | null): Promise<Recovered[]> {
    await client.query(`UPDATE ${this.queue.queues} SET locked_at = NULL, locked_by = NULL WHERE locked_by = $1`, [
      workerId,
    ]);
    const { rows } = await client.query<Recovered>(unlockJobsSql(this.queue), [workerId, stoppedUntil]);
    const inHand = rows.filter((job) => !job.exhausted || isSuperseded(job));
    const isStopped = ({ stopped }: Recovered) => stopped;
    await this.suspects.acquit(client, inHand.filter(isStopped));
    // Blame only the jobs of a worker that has died, not of one that has released its jobs.
    if (!rows.every(isStopped)) {
      await this.suspects.blame(
        client,
        inHand.filter((job) => !isStopped(job)),
      );
      await client.query(runAfterDeathSql(this.queue), [this.options.afterDeath]);
    }
    await client.query(`SELECT pg_notify($1, '{"count":1}')`, [this.queue.channel]);
    return rows;
  }

  private tell({ id, task, key, flags, exhausted }: Recovered): void {
    if (!exhausted) this.logger.warn(`Job ${task} (${id}) runs again: its worker disappeared before the job ended`);
    else if (!isSuperseded({ key, flags })) {
      counted('failed_jobs', { task });
      this.logger.error(`Job ${task} (${id}) has failed for good: its last worker disappeared before the job ended`);
    }
  }
}

/** Returns true if a later job has taken the key of this job. */
function isSuperseded({ key, flags }: Pick<Recovered, 'key' | 'flags'>): boolean {
  return key === null && flags?.[KEYED] === true;
}

async function removeSuperseded(client: Client, queue: QueueTables): Promise<void> {
  await client.query({
    name: 'remove-superseded-jobs',
    text: removeSupersededSql(queue),
    values: [KEYED],
  });
}
