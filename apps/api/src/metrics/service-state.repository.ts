import { Injectable } from '@nestjs/common';
import { Clock } from '@passwright/core';
import { Database } from '@passwright/database';
import { Jobs, type QueueCounts } from '@passwright/jobs';
import { countCertificates, type CertificateCounts } from '@passwright/wallet-credentials';
import { webhookBacklog, type WebhookBacklog } from '@passwright/webhooks';

/** The state that all nodes share, in numbers that tell of no tenant. */
export interface ServiceState extends WebhookBacklog {
  readonly jobs: QueueCounts;
  readonly certificates: CertificateCounts;
  /** Devices that are due for a push; 100,000 means at least so many. */
  readonly devicesDue: number;
  /** Certificates that the push service refuses, and accounts whose pushes it refuses. */
  readonly pushHalts: number;
  /** Classes and objects that Google Wallet is still to learn of, or refuses; 100,000 means at least so many. */
  readonly googleDue: number;
  readonly googleRefused: number;
  /** Service accounts that Google Wallet refuses. */
  readonly googleHalts: number;
}

/** What is counted of the wallets and webhooks, by its name. */
export type SharedCount = Exclude<keyof ServiceState, 'jobs' | 'certificates'>;

/** A scrape waits no longer for the database. */
const TIMEOUT_MS = 2000;
const COUNTED_AT_MOST = 100_000;

/** Reads the state of the whole service, in few and bounded queries. */
@Injectable()
export class ServiceStateRepository {
  constructor(
    private readonly database: Database,
    private readonly jobs: Jobs,
    private readonly clock: Clock,
  ) {}

  /** @throws when the database does not answer in time */
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
