import { Job, SuspectWork } from '@passwright/jobs';
import type { WebhookRef } from '../webhooks/webhooks.jobs.js';

/**
 * A job for an account with webhooks that has new events. The database adds it together with the events (see the
 * migration). It has no key, because transactions that add jobs with the same key wait for each other.
 */
export class WebhooksRecorded extends Job<{ readonly accountId: string }> {
  static readonly task = 'webhooks.recorded';
  static readonly lane = 'webhooks';
}

/**
 * A job that sends the deliveries of these events separately, because one of them has probably crashed two processes.
 */
export class SuspectDeliveries extends SuspectWork<WebhookRef> {
  static readonly task = 'webhooks.send-alone';
}

/** A job that notifies one admin that the service has disabled a webhook. */
export class WebhookDisabled extends Job<
  WebhookRef & {
    readonly uid: string;
    /** The time of disabling, in milliseconds. A repeated job sends the same mail. */
    readonly at: number;
  }
> {
  static readonly task = 'webhooks.disabled';
  static readonly lane = 'mails';
}
