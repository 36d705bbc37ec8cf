import { Injectable, Logger } from '@nestjs/common';
import { AccountAdmins, AuditLog } from '@passwright/accounts';
import { Clock } from '@passwright/core';
import { Jobs } from '@passwright/jobs';
import type { EntityManager } from 'typeorm';
import { WebhookDisabled } from './deliveries.jobs.js';
import type { DeliveryPageResult } from './delivery-page.js';
import { disabledAfterMs } from './delivery-retry-policy.js';
import { type SendingWebhook, SendingWebhooksRepository } from './sending-webhooks.repository.js';

/**
 * Records since when a webhook has been failing. Disables a webhook whose receiver is gone or has failed for days, and
 * notifies the admins.
 */
@Injectable()
export class WebhookHealthService {
  private readonly logger = new Logger('Webhooks');

  constructor(
    private readonly repository: SendingWebhooksRepository,
    private readonly admins: AccountAdmins,
    private readonly auditLog: AuditLog,
    private readonly jobs: Jobs,
    private readonly clock: Clock,
  ) {}

  /**
   * @param webhook the current, locked row. Since the time slice began, another node may have reached the receiver, or
   * a user may have enabled the webhook
   */
  async note(tx: EntityManager, webhook: SendingWebhook, result: DeliveryPageResult): Promise<void> {
    const because = this.reasonToDisable(webhook, result);
    if (because !== null) return this.disable(tx, webhook, because);
    const failingSince = failingSinceAfter(webhook, result);
    const { heldUntil } = result;
    if (failingSince?.getTime() === webhook.failingSince?.getTime() && !heldUntil && !webhook.heldUntil) return;
    await this.repository.updateHealth(tx, webhook, { failingSince, heldUntil });
  }

  private reasonToDisable(webhook: SendingWebhook, result: DeliveryPageResult): string | null {
    if (result.isGone) return 'Its receiver returned 410 Gone, which asks for no more.';
    const since = failingSinceAfter(webhook, result);
    if (result.failed === 0 || !since || this.clock.now().getTime() - since.getTime() < disabledAfterMs) return null;
    const days = disabledAfterMs / 86_400_000;
    return `Nothing has arrived for ${days} days, since ${since.toISOString()}. The last time: ${result.lastProblem ?? ''}`;
  }

  private async disable(tx: EntityManager, webhook: SendingWebhook, because: string): Promise<void> {
    const now = this.clock.now();
    await this.repository.disable(tx, webhook, { now, because });
    const { accountId, id: webhookId } = webhook;
    const target = { kind: 'webhook', id: webhookId };
    await this.auditLog.record(tx, { accountId, action: 'webhook.disabled', target, after: { because } });
    const uids = await this.admins.listUids(tx, accountId);
    const at = now.getTime();
    await this.jobs.addMany(
      tx,
      uids.map((uid) => new WebhookDisabled({ accountId, webhookId, uid, at })),
    );
    this.logger.warn(`Webhook ${webhookId} of ${accountId} is disabled: ${because}`);
  }
}

/**
 * Returns the time of the first failure since the last success. A success in the same batch shows that the receiver
 * works.
 */
function failingSinceAfter(webhook: SendingWebhook, { delivered, failedAt }: DeliveryPageResult): Date | null {
  return delivered > 0 ? null : (webhook.failingSince ?? failedAt);
}
