import { countCircuits } from '@passwright/jobs';
import type { EntityManager } from 'typeorm';

const COUNTED_AT_MOST = 100_000;

/** The push backlog of all accounts, as numbers that reveal no tenant. */
export interface ApplePushBacklog {
  /** The number of devices with a due push; 100,000 means at least 100,000. */
  readonly devicesDue: number;
  /** The number of certificates that the push service rejects, plus the number of accounts whose pushes it rejects. */
  readonly appleCircuits: number;
}

/** Counts the pending pushes for metrics, in bounded queries. */
export async function applePushBacklog(tx: EntityManager, now: Date): Promise<ApplePushBacklog> {
  const [backlog] = await tx.query<Pick<ApplePushBacklog, 'devicesDue'>[]>(
    `SELECT LEAST(COALESCE(sum(size), 0), ${COUNTED_AT_MOST})::int AS "devicesDue"
       FROM (SELECT size FROM apple_push_page WHERE due_at <= $1 LIMIT ${COUNTED_AT_MOST}) AS due`,
    [now],
  );
  if (!backlog) throw new Error('The backlog of pushes was not counted');
  return { ...backlog, appleCircuits: await countCircuits(tx, 'apple') };
}
