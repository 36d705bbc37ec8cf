import { createHash } from 'node:crypto';
import type { EntityManager } from 'typeorm';

/** The flag of jobs that were added with a key: one without its key any more has been superseded by a later one. */
export const KEYED = 'keyed';

/** The flag of jobs that may end their process: each is looked up before it begins. */
export const SUSPECT = 'suspect';

/** Returns a job's key in the queue, where keys are of all tasks together. */
export function queueKey(task: string, key: string): string {
  return `${task}:${key}`;
}

/** Returns what stands for a payload in a key. */
export function payloadHash(payload: unknown): string {
  return createHash('sha256').update(JSON.stringify(payload)).digest('hex').slice(0, 16);
}

/** How many jobs the queue holds; a number of `COUNTED_AT_MOST` means at least so many. */
export interface QueueCounts {
  /** Due, and waiting for a worker. */
  readonly ready: number;
  /** To be run later, or again. */
  readonly later: number;
  /** Being run. */
  readonly locked: number;
  /** Given up after their last attempt. */
  readonly failed: number;
  /** Set aside, as their process died each time they ran. */
  readonly set_aside: number;
}

export const COUNTED_AT_MOST = 100_000;

/** Reads at most `COUNTED_AT_MOST` entries of an index per state. */
export async function queueCounts(reads: EntityManager): Promise<QueueCounts> {
  const count = (where: string) =>
    `(SELECT count(*)::int FROM (SELECT FROM graphile_worker._private_jobs WHERE ${where} LIMIT ${COUNTED_AT_MOST}) AS counted)`;
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
