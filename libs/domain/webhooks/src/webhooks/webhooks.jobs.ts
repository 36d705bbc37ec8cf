import { Job } from '@passwright/jobs';

/** The key of a webhook. */
export interface WebhookRef {
  readonly accountId: string;
  readonly webhookId: string;
}

/** Sends the due deliveries of a webhook, now or at `runAt`. */
export class WebhookDue extends Job<WebhookRef> {
  static readonly task = 'webhooks.send';
  static readonly lane = 'webhooks';
  override readonly key: string;
  override readonly runAt: Date | undefined;

  constructor({ accountId, webhookId }: WebhookRef, runAt?: Date) {
    super({ accountId, webhookId });
    // Jobs for later have their own key: they would otherwise delay one that is due now.
    this.key = `${runAt ? 'later:' : ''}${accountId}/${webhookId}`;
    this.runAt = runAt;
  }
}
