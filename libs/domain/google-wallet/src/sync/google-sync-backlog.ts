import type { EntityManager } from 'typeorm';

const COUNTED_AT_MOST = 100_000;

/** The sync backlog of all accounts, as numbers that reveal no tenant. */
export interface GoogleSyncBacklog {
  /** Classes and objects that Google Wallet has not received yet; 100,000 means at least 100,000. */
  readonly googleDue: number;
  /** Classes and objects that Google Wallet rejects; 100,000 means at least 100,000. */
  readonly googleRefused: number;
  /** Service accounts that Google Wallet rejects. */
  readonly googleHalts: number;
}

/** Counts the pending writes to Google Wallet for metrics, in one bounded query. */
export async function googleSyncBacklog(tx: EntityManager, now: Date): Promise<GoogleSyncBacklog> {
  const [backlog] = await tx.query<GoogleSyncBacklog[]>(
    `SELECT (SELECT count(*)::int
               FROM (SELECT FROM google_resource WHERE due_at <= $1 LIMIT ${COUNTED_AT_MOST}) AS due) AS "googleDue",
            (SELECT count(*)::int
               FROM (SELECT FROM google_resource WHERE refused LIMIT ${COUNTED_AT_MOST}) AS refused) AS "googleRefused",
            (SELECT count(*)::int FROM google_halt) AS "googleHalts"`,
    [now],
  );
  if (!backlog) throw new Error('The backlog of Google Wallet was not counted');
  return backlog;
}
