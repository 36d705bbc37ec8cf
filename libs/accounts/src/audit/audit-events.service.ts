import { Injectable } from '@nestjs/common';
import { decodeCursor, isDateTime, toPage, type Page } from '@passwright/core';
import { toAuditEventResponse, type AuditEventResponse, type AuditEventsQuery } from './audit-event.dto.js';
import { AuditEventsRepository, type AuditEventFilter } from './audit-events.repository.js';

const isEventId = (text: string) => /^[0-9A-Za-z]{1,64}$/.test(text);

/** Reads an account's audit trail. */
@Injectable()
export class AuditEventsService {
  constructor(private readonly repository: AuditEventsRepository) {}

  /** Newest first. @throws ValidationFailed for a cursor of another list */
  async list(accountId: string, { limit, cursor, ...query }: AuditEventsQuery): Promise<Page<AuditEventResponse>> {
    const [at, id] = decodeCursor(cursor, isDateTime, isEventId) ?? [];
    const after = at && id ? { at: new Date(at), id } : null;
    const events = await this.repository.list(accountId, filterOf(query), after, limit + 1);
    return toPage(events, limit, (event) => [event.at.toISOString(), event.id], toAuditEventResponse);
  }
}

function filterOf(query: Omit<AuditEventsQuery, 'limit' | 'cursor'>): AuditEventFilter {
  const { action, actor, target, since, until } = query;
  const [kind = '', ...id] = target?.split(':') ?? [];
  return {
    ...(action && { action }),
    ...(actor && { actor }),
    ...(target && { target: { kind, ...(id.length > 0 && { id: id.join(':') }) } }),
    ...(since && { since: new Date(since) }),
    ...(until && { until: new Date(until) }),
  };
}
