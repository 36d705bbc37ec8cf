import { Injectable } from '@nestjs/common';
import { applePushBacklog, type ApplePushBacklog } from '@passwright/apple-wallet';
import { Clock } from '@passwright/core';
import { Database } from '@passwright/database';
import { googleSyncBacklog, type GoogleSyncBacklog } from '@passwright/google-wallet';
import { Jobs, type QueueCounts } from '@passwright/jobs';
import { countCertificates, type CertificateCounts } from '@passwright/wallet-credentials';
import { webhookBacklog, type WebhookBacklog } from '@passwright/webhooks';

/** The state that all nodes share, as numbers without information about tenants. */
export interface ServiceState extends ApplePushBacklog, GoogleSyncBacklog, WebhookBacklog {
  readonly jobs: QueueCounts;
  readonly certificates: CertificateCounts;
}

/** The name of a count of wallets or webhooks. */
export type SharedCount = Exclude<keyof ServiceState, 'jobs' | 'certificates'>;

/** The maximum time that a scrape waits for the database. */
const TIMEOUT_MS = 2000;

/** Reads the state of the whole service with a few bounded queries. */
@Injectable()
export class ServiceStateRepository {
  constructor(
    private readonly database: Database,
    private readonly jobs: Jobs,
    private readonly clock: Clock,
  ) {}

  /** Reads the state. @throws when the database does not respond in time */
  read(): Promise<ServiceState> {
    const now = this.clock.now();
    return this.database.transaction(async (tx) => {
      await tx.query(`SET LOCAL statement_timeout = ${TIMEOUT_MS}`);
      const certificates = await countCertificates(tx, now);
      return {
        jobs: await this.jobs.count(tx),
        certificates,
        ...(await applePushBacklog(tx, now)),
        ...(await googleSyncBacklog(tx, now)),
        ...(await webhookBacklog(tx, now)),
      };
    });
  }
}
