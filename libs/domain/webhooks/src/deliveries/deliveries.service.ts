import { Injectable } from '@nestjs/common';
import { AuditLog } from '@passwright/accounts';
import { Clock, decodeCursor, isDateTime, toPage, ValidationFailed, type Page, type Principal } from '@passwright/core';
import { Database } from '@passwright/database';
import { Jobs } from '@passwright/jobs';
import type { EntityManager } from 'typeorm';
import { readableTypes, requireEventScopes } from '../event-types/event-access.js';
import type { Webhook } from '../webhooks/webhook.entity.js';
import { NoAddress } from '../webhooks/webhooks.errors.js';
import { WebhooksService } from '../webhooks/webhooks.service.js';
import { WebhookDue, type WebhookRef } from '../webhooks/webhooks.jobs.js';
import { EventNotFound, TooManyToReplay, WebhookIsDisabled } from './deliveries.errors.js';
import { DeliveryListRepository, type Replayed } from './delivery-list.repository.js';
import {
  toWebhookDeliveryResponse,
  type WebhookDeliveriesQuery,
  type WebhookDeliveryResponse,
  type WebhookReplayRequest,
} from './delivery.dto.js';

const eventIdForm = /^[\w-]{1,64}$/;

/** Lists and replays the deliveries of an account's webhooks. */
@Injectable()
export class DeliveriesService {
  /** The number of deliveries that one statement can replay within its time limit. */
  protected readonly replayedAtMost: number = 100_000;

  constructor(
    private readonly webhooks: WebhooksService,
    private readonly repository: DeliveryListRepository,
    private readonly database: Database,
    private readonly jobs: Jobs,
    private readonly auditLog: AuditLog,
    private readonly clock: Clock,
  ) {}

  /** Lists deliveries, newest first. @throws WebhookNotFound. @throws ValidationFailed for a cursor of another list */
  async list(
    ref: WebhookRef,
    { limit, cursor, status }: WebhookDeliveriesQuery,
  ): Promise<Page<WebhookDeliveryResponse>> {
    const [at, eventId] = decodeCursor(cursor, isDateTime, (text) => eventIdForm.test(text)) ?? [];
    const after = at && eventId ? { occurredAt: new Date(at), eventId } : null;
    await this.webhooks.find(ref.accountId, ref.webhookId);
    const rows = await this.repository.list(ref, { status: status ?? null, limit: limit + 1, after });
    return toPage(rows, limit, (row) => [row.occurredAt.toISOString(), row.eventId], toWebhookDeliveryResponse);
  }

  /**
   * Replays one event, or sends it for the first time.
   * @throws WebhookNotFound. @throws EventNotFound. @throws Forbidden for an event that the caller is not allowed to
   * read.
   * @throws NoAddress
   * @throws WebhookIsDisabled
   */
  async replay(caller: Principal, webhookId: string, eventId: string): Promise<void> {
    if (!eventIdForm.test(eventId)) throw new EventNotFound(eventId);
    const ref = { accountId: caller.accountId, webhookId };
    await this.send(ref, async (tx, _, now) => {
      const type = await this.repository.replay(tx, ref, eventId, now);
      if (type === null) throw new EventNotFound(eventId);
      requireEventScopes(caller, [type]);
      return { eventId };
    });
  }

  /**
   * @returns the number of replayed events. @throws WebhookNotFound. @throws ValidationFailed. @throws Forbidden for
   * events that the caller is not allowed to read. @throws NoAddress. @throws WebhookIsDisabled
   */
  async replayMany(caller: Principal, webhookId: string, request: WebhookReplayRequest): Promise<number> {
    const ref = { accountId: caller.accountId, webhookId };
    const status = request.status ?? 'failed';
    const until = request.until ? new Date(request.until) : this.clock.now();
    const since = new Date(request.since);
    if (since >= until) throw new ValidationFailed('since must be before until, which is now unless it is given');
    const period = { since, until, limit: this.replayedAtMost + 1 };
    let replayed = 0;
    await this.send(ref, async (tx, { types }, now) => {
      requireEventScopes(caller, types);
      replayed =
        status === 'missed'
          ? await this.repository.addMissed(tx, ref, types, period, now)
          : await this.replayEnded(tx, caller, ref, status, period, now);
      if (replayed === period.limit) throw new TooManyToReplay(this.replayedAtMost);
      return { since, until, status, replayed };
    });
    return replayed;
  }

  /**
   * Replays ended deliveries. Their events may have types that the webhook no longer receives. @throws Forbidden if the
   * caller may not read one of the events
   */
  private async replayEnded(
    tx: EntityManager,
    caller: Principal,
    ref: WebhookRef,
    status: 'failed' | 'delivered',
    period: Replayed,
    now: Date,
  ): Promise<number> {
    if (readableTypes(caller)) {
      requireEventScopes(caller, await this.repository.listTypes(tx, ref, status, period));
    }
    return this.repository.replayEnded(tx, ref, status, period, now);
  }

  /** @param put adds pending deliveries and returns the details for the audit trail */
  private async send(
    ref: WebhookRef,
    put: (tx: EntityManager, webhook: Webhook, now: Date) => Promise<object>,
  ): Promise<void> {
    const webhook = await this.webhooks.find(ref.accountId, ref.webhookId);
    if (webhook.url === null) throw new NoAddress();
    if (webhook.disabledAt) throw new WebhookIsDisabled();
    await this.database.transaction(async (tx) => {
      const after = await put(tx, webhook, this.clock.now());
      const target = { kind: 'webhook', id: ref.webhookId };
      await this.auditLog.record(tx, { accountId: ref.accountId, action: 'webhook.replayed', target, after });
      await this.jobs.add(tx, new WebhookDue(ref));
    });
  }
}
