import { Injectable } from '@nestjs/common';
import { decodeCursor, Forbidden, isDateTime, readPage, type Page, type Principal, type Scope } from '@passwright/core';
import { Database } from '@passwright/database';
import { toAuditEventResponse, type AuditEventResponse, type AuditEventsQuery } from './audit-event.dto.js';
import { AuditEventsRepository, type AuditEventFilter, type ListedEvent } from './audit-events.repository.js';

/**
 * Number of events in the first query of a list. It is small, because a single event about a template may take 1.4 MB.
 */
const FIRST_EVENTS = 5;

const isEventId = (text: string) => /^[0-9A-Za-z]{1,64}$/.test(text);

/** The scopes that a caller needs to read the target of an event. An event about a plan names a template or a pass. */
const readScopes: Readonly<Record<string, readonly Scope[]>> = {
  pass: ['passes:read'],
  template: ['templates:read'],
  plan: ['templates:read', 'passes:read'],
  member: ['members:read'],
  members: ['members:read'],
  membershipSettings: ['members:read'],
};

/** Reads an account's audit trail. */
@Injectable()
export class AuditEventsService {
  constructor(
    private readonly repository: AuditEventsRepository,
    private readonly database: Database,
  ) {}

  /**
   * Lists events, newest first. @throws ValidationFailed for a cursor of another list. @throws Forbidden for a target
   * whose events the caller may read only without their targets
   */
  list(
    { accountId, scopes }: Principal,
    { limit, cursor, ...query }: AuditEventsQuery,
  ): Promise<Page<AuditEventResponse>> {
    const filter = filterOf(query);
    requireReadable(filter, scopes);
    return this.database.onReplica(() =>
      readPage(
        { limit, cursor },
        {
          read: (part) => this.repository.list(accountId, filter, lastOf(part.cursor), part.limit),
          position: (event) => [event.at.toISOString(), event.id],
          toResponse: (event: ListedEvent) =>
            toAuditEventResponse(isReadable(event, scopes) ? event : withoutTarget(event)),
          first: FIRST_EVENTS,
        },
      ),
    );
  }
}

/** Returns the last event of the previous page. @throws ValidationFailed for a cursor of another list */
function lastOf(cursor: string | undefined): { at: Date; id: string } | null {
  const [at, id] = decodeCursor(cursor, isDateTime, isEventId) ?? [];
  return at && id ? { at: new Date(at), id } : null;
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

function isReadable({ targetKind }: ListedEvent, scopes: readonly Scope[]): boolean {
  return lackingScopes(targetKind, scopes).length === 0;
}

/**
 * Rejects a filter by the id of a target that responses would not name. Otherwise a caller could guess ids, and learn
 * from the events which of them exist.
 */
function requireReadable({ target }: AuditEventFilter, scopes: readonly Scope[]): void {
  if (target?.id === undefined) return;
  const [lacking] = lackingScopes(target.kind, scopes);
  if (lacking !== undefined)
    throw new Forbidden(`You lack ${lacking}, so target can only name a kind: ${target.kind}.`);
}

function lackingScopes(targetKind: string, scopes: readonly Scope[]): Scope[] {
  return (readScopes[targetKind] ?? []).filter((scope) => !scopes.includes(scope));
}

/** Returns the event without its target. A caller who knows the id of a pass could open its public page. */
function withoutTarget(event: ListedEvent): ListedEvent {
  return { ...event, targetId: null, before: null, after: null };
}
