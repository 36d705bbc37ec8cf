import { Job, SuspectWork } from '@passwright/jobs';
import type { WebhookRef } from '../webhooks/webhooks.jobs.js';

/**
 * Something that webhooks are told has happened in an account. Added by the database, with the events (see the migration),
 * and without a key: transactions that add jobs of one key wait for each other.
 */
export class WebhooksRecorded extends Job<{ readonly accountId: string }> {
  static readonly task = 'webhooks.recorded';
  static readonly lane = 'webhooks';
}

/** Sends deliveries of these events, as their process has probably died of one of them twice. */
export class SuspectDeliveries extends SuspectWork<WebhookRef> {
  static readonly task = 'webhooks.send-alone';
}

/** The service has disabled a webhook: one admin is to be told. */
export class WebhookDisabled extends Job<
  WebhookRef & {
    readonly uid: string;
    /** When, in milliseconds: repeated, the mail is the same one. */
    readonly at: number;
  }
> {
  static readonly task = 'webhooks.disabled';
  static readonly lane = 'mails';
}
