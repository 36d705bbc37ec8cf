import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { AccountsService, Attempts } from '@passwright/accounts';
import { Clock } from '@passwright/core';
import { DataSource } from 'typeorm';
import { WebhookSecretsService } from '../webhooks/webhook-secrets.service.js';
import type { WebhookTestResponse } from '../webhooks/webhook.dto.js';
import { NoAddress } from '../webhooks/webhooks.errors.js';
import { WebhooksService } from '../webhooks/webhooks.service.js';
import type { WebhookRef } from '../webhooks/webhooks.jobs.js';
import { messageOf } from './delivery-page.js';
import { WebhookSenderService } from './webhook-sender.service.js';

/**
 * The limit for tests. Without it, callers could use tests to scan the ports of other systems, because response times
 * show which ports are open.
 */
const TESTS_PER_FOUNDER = { attempts: 100, seconds: 3600 };

/** Sends test events. All accounts that one user has created share a limit per hour. */
@Injectable()
export class WebhookTestsService {
  private readonly perFounder: Attempts;

  constructor(
    private readonly webhooks: WebhooksService,
    private readonly secrets: WebhookSecretsService,
    private readonly sender: WebhookSenderService,
    private readonly accounts: AccountsService,
    private readonly clock: Clock,
    dataSource: DataSource,
  ) {
    const many = 'The account, or the others of its founder, have sent too many test events';
    this.perFounder = new Attempts(dataSource, clock, 'webhook-test', TESTS_PER_FOUNDER, many);
  }

  /**
   * Sends `webhook.test` immediately, even to a disabled webhook. Does not store the event. @throws WebhookNotFound,
   * NoAddress, RateLimited
   */
  async send({ accountId, webhookId }: WebhookRef): Promise<WebhookTestResponse> {
    const webhook = await this.webhooks.find(accountId, webhookId);
    if (webhook.url === null) throw new NoAddress();
    await this.perFounder.count(await this.accounts.shareOf(accountId));
    const now = this.clock.now();
    const signing = this.secrets.signing(webhook, now);
    if ('problem' in signing) return { delivered: false, statusCode: null, durationMs: 0, problem: signing.problem };
    const id = `evt_test_${randomUUID().replaceAll('-', '')}`;
    const event = { id, type: 'webhook.test', occurredAt: now, data: { webhookId } };
    const receiver = { url: webhook.url, secrets: signing.secrets };
    const { statusCode, durationMs, problem } = await this.sender.post(receiver, messageOf(event));
    return { delivered: problem === null, statusCode, durationMs, problem };
  }
}
