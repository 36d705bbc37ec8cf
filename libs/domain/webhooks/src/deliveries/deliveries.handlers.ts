import { Injectable } from '@nestjs/common';
import { AccountAdmins } from '@passwright/accounts';
import { Clock, Mailer } from '@passwright/core';
import { Database } from '@passwright/database';
import { JobHandler, Jobs } from '@passwright/jobs';
import { WebhooksRepository } from '../webhooks/webhooks.repository.js';
import { WebhooksOptions } from '../webhooks.options.js';
import { WebhookDue } from '../webhooks/webhooks.jobs.js';
import { WebhookDisabled, WebhooksRecorded } from './deliveries.jobs.js';
import { disabledMail } from './disabled-mail.js';
import { SendingWebhooksRepository } from './sending-webhooks.repository.js';

const RECORDED_AT_ONCE = 5000;
/** The check that runs every minute handles deliveries that are due later than this. */
const SOON_MS = 60_000;

/** Queues webhooks with new deliveries, and notifies admins of disabled webhooks. */
@Injectable()
export class DeliveriesHandlers {
  constructor(
    private readonly sending: SendingWebhooksRepository,
    private readonly webhooks: WebhooksRepository,
    private readonly admins: AccountAdmins,
    private readonly mailer: Mailer,
    private readonly database: Database,
    private readonly jobs: Jobs,
    private readonly clock: Clock,
    private readonly options: WebhooksOptions,
  ) {}

  /**
   * Handles the pending jobs of all accounts together, because a busy account has one job per change. A delivery may be
   * due slightly in the future, because its time comes from the database clock.
   */
  @JobHandler(WebhooksRecorded)
  async recorded({ accountId }: WebhooksRecorded['payload']): Promise<void> {
    const now = this.clock.now();
    await this.database.transaction(async (tx) => {
      const others = await this.jobs.takeAlong(tx, WebhooksRecorded, RECORDED_AT_ONCE);
      const accountIds = [...new Set([accountId, ...others.map((other) => other.accountId)])];
      const due = await this.sending.listDueOf(tx, accountIds, new Date(now.getTime() + SOON_MS));
      const jobs = due.map((ref) => new WebhookDue(ref, ref.dueAt > now ? ref.dueAt : undefined));
      await this.jobs.addMany(tx, jobs);
    });
  }

  /**
   * Mails one admin that the service has disabled a webhook. Sends nothing if the webhook was enabled or deleted in the
   * meantime, or if the recipient is no longer an admin.
   */
  @JobHandler(WebhookDisabled)
  async tell({ accountId, webhookId, uid, at }: WebhookDisabled['payload']): Promise<void> {
    const webhook = await this.webhooks.find(accountId, webhookId);
    const admin = await this.admins.find(accountId, uid);
    if (!admin || !webhook?.disabledBecause || webhook.disabledAt?.getTime() !== at) return;
    const { name, url, disabledBecause: because } = webhook;
    const { accountName, email: to } = admin;
    const mail = disabledMail({ webhookId, name, url, because, accountName, baseUrl: this.options.baseUrl });
    await this.mailer.send({ id: `webhook-disabled:${webhookId}:${at}:${uid}`, to, ...mail });
  }
}
