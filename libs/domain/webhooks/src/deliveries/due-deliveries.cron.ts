import { Injectable } from '@nestjs/common';
import { Clock, Scheduled } from '@passwright/core';
import { Database } from '@passwright/database';
import { Jobs } from '@passwright/jobs';
import { WebhookDue, type WebhookRef } from '../webhooks/webhooks.jobs.js';
import { DeliveriesRepository } from './deliveries.repository.js';
import { CLAIM_MS } from './delivery-dispatch.service.js';
import { SendingWebhooksRepository } from './sending-webhooks.repository.js';

const PAGE_SIZE = 500;

/** Checks every minute for webhooks with due deliveries, such as retries. */
@Injectable()
export class DueDeliveriesCron {
  constructor(
    private readonly database: Database,
    private readonly repository: DeliveriesRepository,
    private readonly webhooks: SendingWebhooksRepository,
    private readonly jobs: Jobs,
    private readonly clock: Clock,
  ) {}

  /** Sends the deliveries that a crashed process had claimed, before the claim expires. */
  @Scheduled({ name: 'webhooks.end-dead-claims', after: 'process died', lane: 'looks' })
  async endDeadClaims(): Promise<void> {
    const now = this.clock.now();
    await this.repository.endDeadClaims(now, new Date(now.getTime() + CLAIM_MS));
    await this.look();
  }

  @Scheduled({ name: 'webhooks.look', crontab: '* * * * *', lane: 'looks' })
  async look(): Promise<void> {
    const now = this.clock.now();
    let last: WebhookRef = { accountId: '', webhookId: '' };
    let due: WebhookRef[];
    do {
      due = await this.webhooks.listDue(now, last, PAGE_SIZE);
      last = due.at(-1) ?? last;
      const jobs = due.map((ref) => new WebhookDue(ref));
      await this.database.transaction((tx) => this.jobs.addMany(tx, jobs));
    } while (due.length === PAGE_SIZE);
  }
}
