import { Injectable } from '@nestjs/common';
import { Clock, counted } from '@passwright/core';
import { Database } from '@passwright/database';
import type { TurnEnd } from '@passwright/jobs';
import { WebhookSecretsService } from '../webhooks/webhook-secrets.service.js';
import type { WebhookRef } from '../webhooks/webhooks.jobs.js';
import { type ClaimedDelivery, DeliveriesRepository, type SendingWebhook } from './deliveries.repository.js';
import { sendPage, type TurnResult, type TurnSteps } from './delivery-turn.js';
import { type Receiver, WebhookCallerService } from './webhook-caller.service.js';
import { WebhookHealthService } from './webhook-health.service.js';

/** So many deliveries are claimed at a time. */
const PAGE_SIZE = 100;
/** Of a webhook that is failing: as many as are sent at once, so that its turn is as short as one attempt. */
const FAILING_PAGE_SIZE = 8;
/** A turn begins no attempt after so long; with the last one, it is over well within the claim. */
const TURN_MS = 10_000;
const CLAIM_MS = 90_000;

const nothing: TurnEnd = { hasMore: false, nextAt: null };

/**
 * Sends what is due of one webhook, a page at a time. Two nodes may do so at once: each delivery is claimed by one of them,
 * and when that one ends without a word, it is due again once the claim has ended.
 */
@Injectable()
export class DeliveryTurns {
  constructor(
    private readonly repository: DeliveriesRepository,
    private readonly secrets: WebhookSecretsService,
    private readonly caller: WebhookCallerService,
    private readonly health: WebhookHealthService,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /**
   * @param mayContinue whether the run that the turn is part of goes on
   * @param only sends the deliveries of these events alone; they are given back when the webhook cannot be sent to now
   */
  async serve(
    ref: WebhookRef,
    mayContinue: () => boolean,
    stop: AbortSignal,
    only?: readonly string[],
  ): Promise<TurnEnd> {
    const now = this.clock.now();
    const webhook = await this.repository.findWebhook(ref);
    const receiver = this.receiverOf(webhook, now);
    if (!webhook || !receiver) {
      if (only) await this.repository.giveBack(ref, only, now);
      return { hasMore: false, nextAt: holdOf(webhook, now) };
    }
    const limit = webhook.failingSince ? FAILING_PAGE_SIZE : PAGE_SIZE;
    const until = new Date(now.getTime() + CLAIM_MS);
    const page = await this.database.transaction((tx) =>
      only
        ? this.repository.claimThese(tx, ref, { now, until, eventIds: only })
        : this.repository.claim(tx, ref, { now, until, limit }),
    );
    const result = await this.sendClaimed(
      ref,
      receiver,
      { page, until },
      {
        post: (message) => this.caller.post(receiver, message, stop),
        mayContinue: () => mayContinue() && this.clock.now().getTime() < now.getTime() + TURN_MS,
        stop,
        now: () => this.clock.now(),
      },
    );
    return this.endOf(ref, result, page.length === limit);
  }

  private async sendClaimed(
    ref: WebhookRef,
    { url }: Receiver,
    { page, until }: { readonly page: readonly ClaimedDelivery[]; readonly until: Date },
    steps: TurnSteps,
  ): Promise<TurnResult> {
    try {
      const result = await sendPage(page, steps);
      if (page.length > 0) await this.record(ref, url, until, result);
      return result;
    } catch (error) {
      this.repository.uncount(ref, until, page);
      throw error;
    }
  }

  /** Null while nothing can be sent. */
  private receiverOf(webhook: SendingWebhook | null, now: Date): Receiver | null {
    if (!webhook || webhook.url === null || webhook.disabledAt || holdOf(webhook, now)) return null;
    const signing = this.secrets.signing(webhook, now);
    // The webhook says so; what is due waits until it has another secret.
    return 'problem' in signing ? null : { url: webhook.url, secrets: signing.secrets };
  }

  /** @param url where they were sent: what came of it says nothing of another address that it has got meanwhile */
  private async record(ref: WebhookRef, url: string, until: Date, result: TurnResult): Promise<void> {
    const { records, delivered, failed } = result;
    await this.database.transaction(async (tx) => {
      // First the webhook: whoever changes or deletes it meanwhile waits, and finds its deliveries as they are.
      const webhook = await this.repository.lockWebhook(tx, ref);
      if (webhook?.url === url && !webhook.disabledAt) await this.health.note(tx, webhook, result);
      if (webhook) await this.repository.record(tx, ref, until, records);
    });
    for (let count = 0; count < delivered; count++) counted('webhook_deliveries', { outcome: 'delivered' });
    for (let count = 0; count < failed; count++) counted('webhook_deliveries', { outcome: 'failed' });
  }

  private async endOf(ref: WebhookRef, { heldUntil, isGone }: TurnResult, wasFull: boolean): Promise<TurnEnd> {
    if (isGone) return nothing;
    if (heldUntil) return { hasMore: false, nextAt: heldUntil };
    if (wasFull) return { hasMore: true, nextAt: null };
    const dueAt = await this.repository.nextDue(ref);
    const isDue = dueAt !== null && dueAt <= this.clock.now();
    return { hasMore: isDue, nextAt: isDue ? null : dueAt };
  }
}

/** Until when a webhook is to be left alone; null when it is not, or takes nothing at all. */
function holdOf(webhook: SendingWebhook | null, now: Date): Date | null {
  if (!webhook || webhook.url === null || webhook.disabledAt) return null;
  return webhook.heldUntil && webhook.heldUntil > now ? webhook.heldUntil : null;
}
