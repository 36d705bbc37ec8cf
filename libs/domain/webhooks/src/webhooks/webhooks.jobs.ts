import { Job } from '@passwright/jobs';

/** The key of a webhook. */
export interface WebhookRef {
  readonly accountId: string;
  readonly webhookId: string;
}

/** A job that sends the due deliveries of a webhook, now or at `runAt`. */
export class WebhookDue extends Job<WebhookRef> {
  static readonly task = 'webhooks.send';
  static readonly lane = 'webhooks';
  static readonly runsAtEarliest = true;
  override readonly key: string;
  override readonly runAt: Date | undefined;

  constructor({ accountId, webhookId }: WebhookRef, runAt?: Date) {
    super({ accountId, webhookId });
    // Jobs for a later time have another key, so that a job for now does not replace them.
    this.key = `${runAt ? 'later:' : ''}${accountId}/${webhookId}`;
    this.runAt = runAt;
  }
}
