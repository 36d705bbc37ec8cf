import { Injectable } from '@nestjs/common';
import { AccountAdmins } from '@passwright/accounts';
import { Clock, Mailer, Scheduled } from '@passwright/core';
import { Database } from '@passwright/database';
import { JobHandler, Jobs } from '@passwright/jobs';
import { WebhooksRepository } from '../webhooks/webhooks.repository.js';
import { WebhooksOptions } from '../webhooks.options.js';
import { WebhookDue, type WebhookRef } from '../webhooks/webhooks.jobs.js';
import { DeliveriesRepository } from './deliveries.repository.js';
import { WebhookDisabled, WebhooksRecorded } from './deliveries.jobs.js';
import { disabledMail } from './disabled-mail.js';

const PAGE_SIZE = 500;
const RECORDED_AT_ONCE = 5000;
/** What is due later than that is found by the schedule, which looks every minute. */
const SOON_MS = 60_000;

/** Finds webhooks with something to send, and tells admins of one that was disabled. */
@Injectable()
export class DeliveriesHandlers {
  constructor(
    private readonly repository: DeliveriesRepository,
    private readonly webhooks: WebhooksRepository,
    private readonly admins: AccountAdmins,
    private readonly mailer: Mailer,
    private readonly database: Database,
    private readonly jobs: Jobs,
    private readonly clock: Clock,
    private readonly options: WebhooksOptions,
  ) {}

  /** Does all that wait with it: a busy account has a job for each change. What was recorded may be due a moment from now: it was by the database's clock. */
  @JobHandler(WebhooksRecorded)
  async recorded({ accountId }: WebhooksRecorded['payload']): Promise<void> {
    const now = this.clock.now();
    await this.database.transaction(async (tx) => {
      const others = await this.jobs.takeAlong(tx, WebhooksRecorded, RECORDED_AT_ONCE);
      const accountIds = [...new Set([accountId, ...others.map((other) => other.accountId)])];
      const due = await this.repository.listDueOf(tx, accountIds, new Date(now.getTime() + SOON_MS));
      const jobs = due.map((ref) => new WebhookDue(ref, ref.dueAt > now ? ref.dueAt : undefined));
      await this.jobs.addMany(tx, jobs);
    });
  }

  /** Finds what is to be tried again, and what a crash has left. */
  @Scheduled({ name: 'webhooks.look', crontab: '* * * * *', lane: 'looks' })
  async look(): Promise<void> {
    const now = this.clock.now();
    let last: WebhookRef = { accountId: '', webhookId: '' };
    let due: WebhookRef[];
    do {
      due = await this.repository.listDue(now, last, PAGE_SIZE);
      last = due.at(-1) ?? last;
      const jobs = due.map((ref) => new WebhookDue(ref));
      await this.database.transaction((tx) => this.jobs.addMany(tx, jobs));
    } while (due.length === PAGE_SIZE);
  }

  /** Sends nothing when it was enabled or deleted meanwhile, or who was to be told is no admin any more. */
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
