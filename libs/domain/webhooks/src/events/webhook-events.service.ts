import { Injectable } from '@nestjs/common';
import { Clock, type Principal } from '@passwright/core';
import { WebhookNotFound } from '../webhooks/webhooks.errors.js';
import { requireEventScopes } from '../event-types/event-access.js';
import { decodeEventCursor, encodeEventCursor, type EventPosition } from './event-cursor.js';
import { storedSince } from './event-retention.js';
import { EventWatchService } from './event-watch.service.js';
import { toWebhookEventResponse, type WebhookEventsQuery, type WebhookEventsResponse } from './webhook-event.dto.js';
import { type EventsRead, type Reading, WebhookEventsRepository } from './webhook-events.repository.js';

/** The format of webhook ids. It is checked before each query, because Postgres rejects texts with NUL. */
const idForm = /^[\w-]{1,64}$/;

type CallersReading = Reading & { readonly caller: Principal };
type Page = Omit<EventsRead, 'next'> & { readonly next: EventPosition };

/** Lists events for clients that fetch them. */
@Injectable()
export class WebhookEventsService {
  constructor(
    private readonly repository: WebhookEventsRepository,
    private readonly watch: EventWatchService,
    private readonly clock: Clock,
  ) {}

  /**
   * Lists the next events of a webhook. If there are none, waits for new events. Returns events that it waited for only
   * if the caller still has access.
   * @param gone aborts when the client has disconnected
   * @param recheckAccess checks the credential of the caller again
   * @throws WebhookNotFound. @throws Forbidden for types that the caller is not allowed to read. @throws
   * ValidationFailed for a cursor that is too old or of another list
   */
  async list(
    caller: Principal,
    webhookId: string,
    { cursor, limit, wait, from }: WebhookEventsQuery,
    gone: AbortSignal,
    recheckAccess?: () => Promise<void>,
  ): Promise<WebhookEventsResponse> {
    const now = this.clock.now();
    const beginning = from === 'now' ? 'now' : 'oldest';
    const reading: CallersReading = {
      caller,
      accountId: caller.accountId,
      webhookId,
      limit,
      beginning,
      since: storedSince(now),
    };
    const page = await this.read(reading, decodeEventCursor(cursor, now));
    if (wait === 0 || !isVain(page)) return toResponse(page);
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(), wait * 1000);
    try {
      const awaited = await this.await(reading, page, AbortSignal.any([gone, deadline.signal]));
      if (awaited.events.length > 0) await recheckAccess?.();
      return toResponse(awaited);
    } finally {
      clearTimeout(timer);
    }
  }

  private async await(reading: CallersReading, vain: Page, over: AbortSignal): Promise<Page> {
    let page = vain;
    while (isVain(page) && !over.aborted && this.watch.isOpen) {
      await this.watch.news({ accountId: reading.accountId, ...page.next }, over);
      page = await this.read(reading, page.next);
    }
    return page;
  }

  private async read(reading: CallersReading, after: EventPosition | null): Promise<Page> {
    const now = this.clock.now();
    const { webhookId, since } = reading;
    const read = idForm.test(webhookId) ? await this.repository.read(reading, after) : null;
    if (!read) throw new WebhookNotFound(webhookId);
    requireEventScopes(reading.caller, read.types);
    const { lastAt } = read;
    return { ...read, next: { ...read.next, readUntil: lastAt === null ? now : lastAt > since ? lastAt : since } };
  }
}

/** Returns true if a page is empty and no more events follow at the moment, so that the request should wait. */
function isVain({ events, lastAt }: Page): boolean {
  return events.length === 0 && lastAt === null;
}

function toResponse({ events, next, lastAt }: Page): WebhookEventsResponse {
  const cursor = encodeEventCursor(next);
  return { data: events.map(toWebhookEventResponse), nextCursor: lastAt === null ? null : cursor, cursor };
}
