import { Injectable, Logger } from '@nestjs/common';
import { Clock, counted } from '@passwright/core';
import { Database } from '@passwright/database';
import { releaseTimeAfter, type TurnEnd } from '@passwright/jobs';
import { WebhookSecretsService } from '../webhooks/webhook-secrets.service.js';
import type { WebhookRef } from '../webhooks/webhooks.jobs.js';
import { type ClaimedDelivery, DeliveriesRepository } from './deliveries.repository.js';
import { sendPage, type DeliveryPageResult, type DeliverySteps } from './delivery-page.js';
import { type SendingWebhook, SendingWebhooksRepository } from './sending-webhooks.repository.js';
import { type Receiver, WebhookSenderService } from './webhook-sender.service.js';
import { WebhookHealthService } from './webhook-health.service.js';

/** Number of deliveries per claim. */
const PAGE_SIZE = 100;
/**
 * The number of deliveries per claim for a failing webhook. All of them are sent simultaneously, so that a time slice
 * is as short as one attempt.
 */
const FAILING_PAGE_SIZE = 8;
/** A time slice starts no attempt after this time, so that its last attempt ends long before the claim expires. */
const TURN_MS = 10_000;
export const CLAIM_MS = 90_000;
/** The pause of a node that has no free file handles or memory. Other nodes may send the deliveries meanwhile. */
const EXHAUSTED_PAUSE_MS = 5000;

/** Deliveries that were claimed together, and the end of their claim. */
interface ClaimedPage {
  readonly page: readonly ClaimedDelivery[];
  readonly until: Date;
}

const nothing: TurnEnd = { hasMore: false, nextAt: null };

/**
 * Sends the due deliveries of one webhook in batches. Two nodes may serve the same webhook simultaneously, because only
 * one of them can claim each delivery. If a node crashes, another node ends its claims.
 */
@Injectable()
export class DeliveryDispatch {
  private readonly logger = new Logger('Webhooks');

  constructor(
    private readonly webhooks: SendingWebhooksRepository,
    private readonly repository: DeliveriesRepository,
    private readonly secrets: WebhookSecretsService,
    private readonly sender: WebhookSenderService,
    private readonly health: WebhookHealthService,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /**
   * @param mayContinue returns false when this time slice must end
   * @param only the events to send, which are released if they cannot be sent now; absent for all due events
   */
  async serve(
    ref: WebhookRef,
    mayContinue: () => boolean,
    stop: AbortSignal,
    only?: readonly string[],
  ): Promise<TurnEnd> {
    const now = this.clock.now();
    const webhook = await this.webhooks.find(ref);
    const receiver = this.receiverOf(webhook, now);
    if (!webhook || !receiver) {
      if (only) await this.repository.giveBack(ref, only, now);
      return { hasMore: false, nextAt: holdOf(webhook, now) };
    }
    const limit = webhook.failingSince ? FAILING_PAGE_SIZE : PAGE_SIZE;
    const claimed = await this.claim(ref, now, limit, only);
    const result = await this.sendClaimed(ref, receiver, claimed, {
      post: (message) => this.sender.post(receiver, message, stop),
      mayContinue: () => mayContinue() && this.clock.now().getTime() < now.getTime() + TURN_MS,
      stop,
      now: () => this.clock.now(),
    });
    return this.endOf(ref, result, claimed.page.length === limit);
  }

  /** Claims a batch. Releases the claim if it was committed but the database's response was lost. */
  private async claim(ref: WebhookRef, now: Date, limit: number, only?: readonly string[]): Promise<ClaimedPage> {
    const until = new Date(now.getTime() + CLAIM_MS);
    let page: ClaimedDelivery[] = [];
    try {
      await this.database.transaction(async (tx) => {
        page = only
          ? await this.repository.claimThese(tx, ref, { now, until, eventIds: only })
          : await this.repository.claim(tx, ref, { now, until, limit });
      });
      return { page, until };
    } catch (error) {
      this.repository.release(ref, until, page, releaseTimeAfter(error, this.clock.now()));
      throw error;
    }
  }

  private async sendClaimed(
    ref: WebhookRef,
    { url }: Receiver,
    { page, until }: ClaimedPage,
    steps: DeliverySteps,
  ): Promise<DeliveryPageResult> {
    try {
      const result = await sendPage(page, steps);
      if (page.length > 0) await this.record(ref, url, until, result);
      return result;
    } catch (error) {
      this.repository.release(ref, until, page, releaseTimeAfter(error, this.clock.now()));
      throw error;
    }
  }

  /** Returns the receiver of a webhook's deliveries; null while nothing can be sent to it. */
  private receiverOf(webhook: SendingWebhook | null, now: Date): Receiver | null {
    if (!webhook || webhook.url === null || webhook.disabledAt || holdOf(webhook, now)) return null;
    const signing = this.secrets.signing(webhook, now);
    // The API shows this problem of the webhook. Its deliveries wait until it has a new secret.
    return 'problem' in signing ? null : { url: webhook.url, secrets: signing.secrets };
  }

  /** @param url the URL to which the deliveries were sent; the results do not apply to a newer URL */
  private async record(ref: WebhookRef, url: string, until: Date, result: DeliveryPageResult): Promise<void> {
    const { records, delivered, failed } = result;
    await this.database.transaction(async (tx) => {
      // Lock the webhook first, so that a concurrent change or deletion waits and finds consistent deliveries.
      const webhook = await this.webhooks.lock(tx, ref);
      if (webhook?.url === url && !webhook.disabledAt) await this.health.note(tx, webhook, result);
      if (webhook) await this.repository.record(tx, ref, until, records);
    });
    for (let count = 0; count < delivered; count++) counted('webhook_deliveries', { outcome: 'delivered' });
    for (let count = 0; count < failed; count++) counted('webhook_deliveries', { outcome: 'failed' });
  }

  private async endOf(
    ref: WebhookRef,
    { heldUntil, isGone, isExhausted }: DeliveryPageResult,
    wasFull: boolean,
  ): Promise<TurnEnd> {
    if (isGone) return nothing;
    if (isExhausted) return this.pause();
    if (heldUntil) return { hasMore: false, nextAt: heldUntil };
    if (wasFull) return { hasMore: true, nextAt: null };
    const dueAt = await this.webhooks.nextDue(ref);
    const isDue = dueAt !== null && dueAt <= this.clock.now();
    return { hasMore: isDue, nextAt: isDue ? null : dueAt };
  }

  private pause(): TurnEnd {
    this.logger.error('No event could be sent, because this node has no file handle or memory left.');
    return { hasMore: false, nextAt: new Date(this.clock.now().getTime() + EXHAUSTED_PAUSE_MS) };
  }
}

/** Returns the end of a webhook's pause; null if the webhook is not paused or cannot get deliveries at all. */
function holdOf(webhook: SendingWebhook | null, now: Date): Date | null {
  if (!webhook || webhook.url === null || webhook.disabledAt) return null;
  return webhook.heldUntil && webhook.heldUntil > now ? webhook.heldUntil : null;
}
