import { countCircuits } from '@passwright/jobs';
import type { EntityManager } from 'typeorm';

const COUNTED_AT_MOST = 100_000;

/** The sync backlog of all accounts, as numbers that reveal no tenant. */
export interface GoogleSyncBacklog {
  /** The number of classes and objects that Google Wallet has not received yet; 100,000 means at least 100,000. */
  readonly googleDue: number;
  /** The number of classes and objects that Google Wallet rejects; 100,000 means at least 100,000. */
  readonly googleRejected: number;
  /** The number of service accounts that Google Wallet rejects. */
  readonly googleCircuits: number;
}

/** Counts the pending writes to Google Wallet for metrics, in bounded queries. */
export async function googleSyncBacklog(tx: EntityManager, now: Date): Promise<GoogleSyncBacklog> {
  const [backlog] = await tx.query<Omit<GoogleSyncBacklog, 'googleCircuits'>[]>(
    `SELECT (SELECT count(*)::int
               FROM (SELECT FROM google_resource WHERE due_at <= $1 LIMIT ${COUNTED_AT_MOST}) AS due) AS "googleDue",
            (SELECT count(*)::int
               FROM (SELECT FROM google_resource WHERE refused LIMIT ${COUNTED_AT_MOST}) AS rejected) AS "googleRejected"`,
    [now],
  );
  if (!backlog) throw new Error('The backlog of Google Wallet was not counted');
  return { ...backlog, googleCircuits: await countCircuits(tx, 'google') };
}
