import { Injectable } from '@nestjs/common';
import { Clock } from '@passwright/core';
import { Database } from '@passwright/database';
import { Jobs, type QueueCounts } from '@passwright/jobs';
import { countCertificates, type CertificateCounts } from '@passwright/wallet-credentials';
import { webhookBacklog, type WebhookBacklog } from '@passwright/webhooks';

/** The state that all nodes share, in numbers that reveal no tenant. */
export interface ServiceState extends WebhookBacklog {
  readonly jobs: QueueCounts;
  readonly certificates: CertificateCounts;
  /** Devices with a due push; 100,000 means at least 100,000. */
  readonly devicesDue: number;
  /** Certificates that the push service rejects, and accounts whose pushes it rejects. */
  readonly pushHalts: number;
  /** Classes and objects that Google Wallet has not received yet, or rejects; 100,000 means at least 100,000. */
  readonly googleDue: number;
  readonly googleRefused: number;
  /** Service accounts that Google Wallet rejects. */
  readonly googleHalts: number;
}

/** The names of the counts of wallets and webhooks. */
export type SharedCount = Exclude<keyof ServiceState, 'jobs' | 'certificates'>;

/** The longest wait of a scrape for the database. */
const TIMEOUT_MS = 2000;
const COUNTED_AT_MOST = 100_000;

/** Reads the state of the whole service, in a few bounded queries. */
@Injectable()
export class ServiceStateRepository {
  constructor(
    private readonly database: Database,
    private readonly jobs: Jobs,
    private readonly clock: Clock,
  ) {}

  /** @throws when the database does not respond in time */
  read(): Promise<ServiceState> {
    const now = this.clock.now();
    return this.database.transaction(async (tx) => {
      await tx.query(`SET LOCAL statement_timeout = ${TIMEOUT_MS}`);
      const [counts] = await tx.query<Record<Exclude<SharedCount, keyof WebhookBacklog>, number>[]>(
        `SELECT (SELECT LEAST(COALESCE(sum(size), 0), ${COUNTED_AT_MOST})::int
                   FROM (SELECT size FROM apple_push_page WHERE due_at <= $1 LIMIT ${COUNTED_AT_MOST}) AS due) AS "devicesDue",
                (SELECT count(*)::int FROM apple_push_halt) AS "pushHalts",
                ${bounded('google_resource WHERE due_at <= $1')} AS "googleDue",
                ${bounded('google_resource WHERE refused')} AS "googleRefused",
                (SELECT count(*)::int FROM google_halt) AS "googleHalts"`,
        [now],
      );
      if (!counts) throw new Error('The state was not counted');
      const certificates = await countCertificates(tx, now);
      return { jobs: await this.jobs.count(tx), certificates, ...counts, ...(await webhookBacklog(tx, now)) };
    });
  }
}

function bounded(rows: string): string {
  return `(SELECT count(*)::int FROM (SELECT FROM ${rows} LIMIT ${COUNTED_AT_MOST}) AS counted)`;
}
