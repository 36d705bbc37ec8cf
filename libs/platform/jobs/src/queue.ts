import type { QueueTables } from '@passwright/database';
import { createHash } from 'node:crypto';
import type { EntityManager } from 'typeorm';

/** Flags jobs that were added with a key. If a flagged job has no key, a later job has taken it. */
export const KEYED = 'keyed';

/** Flags jobs that may crash their process. A worker looks up such a job before it begins the job. */
export const SUSPECT = 'suspect';

/** Returns the key of a job in the queue, where all tasks share one set of keys. */
export function queueKey(task: string, key: string): string {
  return `${task}:${key}`;
}

/** Returns a hash of a payload for use in a key. */
export function payloadHash(payload: unknown): string {
  return createHash('sha256').update(JSON.stringify(payload)).digest('hex').slice(0, 16);
}

/** The number of jobs in each state. `COUNTED_AT_MOST` means that many or more. */
export interface QueueCounts {
  /** Jobs that are due and wait for a worker. */
  readonly ready: number;
  /** Jobs that will run later, for the first time or as a retry. */
  readonly later: number;
  /** Running jobs. */
  readonly locked: number;
  /** Jobs that have failed at their last attempt. */
  readonly failed: number;
  /** Jobs that were set aside, because each run ended with the death of the process. */
  readonly set_aside: number;
}

export const COUNTED_AT_MOST = 100_000;

/** Counts the jobs in each state; reads at most `COUNTED_AT_MOST` index entries per state. */
export async function queueCounts(reads: EntityManager, queue: QueueTables): Promise<QueueCounts> {
  const count = (where: string) =>
    `(SELECT count(*)::int FROM (SELECT FROM ${queue.jobs} WHERE ${where} LIMIT ${COUNTED_AT_MOST}) AS counted)`;
  const [counts] = await reads.query<QueueCounts[]>(
    `SELECT ${count('is_available AND run_at <= now()')} AS ready,
            ${count('is_available AND run_at > now()')} AS later,
            ${count('NOT is_available AND locked_by IS NOT NULL')} AS locked,
            ${count('NOT is_available AND locked_by IS NULL')} AS failed,
            (SELECT count(*)::int FROM suspect_job WHERE set_aside_at IS NOT NULL) AS set_aside`,
  );
  if (!counts) throw new Error('The queue was not counted');
  return counts;
}
