import { Job } from '@passwright/jobs';

/** A webhook, wherever it is. */
export interface WebhookRef {
  readonly accountId: string;
  readonly webhookId: string;
}

/** Deliveries of a webhook are due, now or at `runAt`. */
export class WebhookDue extends Job<WebhookRef> {
  static readonly task = 'webhooks.send';
  static readonly lane = 'webhooks';
  override readonly key: string;
  override readonly runAt: Date | undefined;

  constructor({ accountId, webhookId }: WebhookRef, runAt?: Date) {
    super({ accountId, webhookId });
    // Jobs for later have a key of their own: they would put off one that is due.
    this.key = `${runAt ? 'later:' : ''}${accountId}/${webhookId}`;
    this.runAt = runAt;
  }
}
