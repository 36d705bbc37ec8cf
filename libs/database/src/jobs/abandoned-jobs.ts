import type { Logger } from '@nestjs/common';
import { counted } from '@passwright/core';
import type { Client } from 'pg';
import { KEYED } from './queue.js';
import { PRESENCE_LOCKS, presenceKey } from './worker-presence.js';

const FAILED_KEPT_DAYS = 30;

/** Ids of workers that hold jobs of the tasks $2 and show no presence, but for $1. */
export const GONE_WORKERS = `
  WITH present AS MATERIALIZED (
    SELECT objid FROM pg_locks
     WHERE locktype = 'advisory' AND granted AND classid = ${PRESENCE_LOCKS} AND objsubid = 2
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))
  SELECT DISTINCT job.locked_by AS id
    FROM graphile_worker._private_jobs job JOIN graphile_worker._private_tasks task ON task.id = job.task_id
   WHERE NOT job.is_available AND job.locked_by <> $1 AND task.identifier = ANY ($2)
     AND ${presenceKey('job.locked_by')}::oid NOT IN (SELECT objid FROM present)`;

/** A later job has taken the place of these, by the flag $1, while they were run, and they have then failed; or they failed long ago. */
export const REMOVE_SUPERSEDED = `DELETE FROM graphile_worker._private_jobs
   WHERE NOT is_available AND locked_by IS NULL
     AND (key IS NULL AND flags ? $1 OR run_at < now() - interval '${FAILED_KEPT_DAYS} days')`;

interface Recovered {
  readonly id: string;
  readonly task: string;
  readonly exhausted: boolean;
}

/**
 * Gives back to the queue what workers that have gone were running, which would otherwise stay locked for four hours, and
 * removes what nobody waits for any more.
 */
export class AbandonedJobs {
  /** Since when each worker has been seen to be gone. */
  private readonly goneSince = new Map<string, number>();
  private session: Client | null = null;

  /** @param tasks those of this process: workers of other software show no presence, and are left alone */
  constructor(
    private readonly workerId: string,
    private readonly tasks: readonly string[],
    private readonly abandonedAfterMs: number,
    private readonly logger: Logger,
  ) {}

  /** One look. A worker must be gone in every look of `abandonedAfterMs`: one whose connection breaks off shows itself again. */
  async recover(client: Client): Promise<void> {
    // This process was away itself, so perhaps was the server: everybody is given time to come back.
    if (this.session !== client) this.goneSince.clear();
    this.session = client;
    const gone = await this.gone(client);
    for (const id of this.goneSince.keys()) if (!gone.includes(id)) this.goneSince.delete(id);
    const now = performance.now();
    for (const id of gone) {
      const since = this.goneSince.get(id) ?? now;
      this.goneSince.set(id, since);
      if (now - since >= this.abandonedAfterMs) await this.unlock(client, id);
    }
    await removeSuperseded(client);
  }

  private async gone(client: Client): Promise<string[]> {
    const { rows } = await client.query<{ id: string }>({
      name: 'gone-workers',
      text: GONE_WORKERS,
      values: [this.workerId, this.tasks],
    });
    return rows.map(({ id }) => id);
  }

  /** Holds the worker's lock meanwhile: one that comes back at this very moment is shown before or after, not between. */
  private async unlock(client: Client, id: string): Promise<void> {
    const { rows } = await client.query<Recovered>({
      name: 'unlock-gone-worker',
      text: `
        WITH mine AS MATERIALIZED (SELECT pg_try_advisory_xact_lock(${PRESENCE_LOCKS}, ${presenceKey('$1')}) AS locked),
        queues AS (
          UPDATE graphile_worker._private_job_queues SET locked_at = NULL, locked_by = NULL
           WHERE locked_by = $1 AND (SELECT locked FROM mine)),
        jobs AS (
          UPDATE graphile_worker._private_jobs SET locked_at = NULL, locked_by = NULL
           WHERE locked_by = $1 AND (SELECT locked FROM mine)
           RETURNING id, task_id, attempts >= max_attempts AND (key IS NOT NULL OR NOT coalesce(flags ? $2, false)) AS exhausted)
        SELECT jobs.id, task.identifier AS task, jobs.exhausted, pg_notify('jobs:insert', '{"count":1}')
          FROM jobs JOIN graphile_worker._private_tasks task ON task.id = jobs.task_id`,
      values: [id, KEYED],
    });
    for (const { id: job, task, exhausted } of rows) {
      if (exhausted) {
        counted('failed_jobs', { task });
        this.logger.error(`Job ${task} (${job}) has failed for good: its last worker was gone before its end`);
      } else {
        this.logger.warn(`Job ${task} (${job}) is run again: its worker was gone before its end`);
      }
    }
  }
}

async function removeSuperseded(client: Client): Promise<void> {
  await client.query({
    name: 'remove-superseded-jobs',
    text: REMOVE_SUPERSEDED,
    values: [KEYED],
  });
}
