import { Job, SuspectWork } from '@passwright/jobs';
import type { WebhookRef } from '../webhooks/webhooks.jobs.js';

/**
 * A job about new events of an account with webhooks. The database adds the job together with the events. The job has
 * no key, because transactions that add jobs with the same key wait for each other.
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
    /** The time of disabling, in Unix milliseconds. */
    readonly at: number;
  }
> {
  static readonly task = 'webhooks.disabled';
  static readonly lane = 'mails';
}
