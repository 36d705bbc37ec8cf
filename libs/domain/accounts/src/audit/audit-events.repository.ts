import { Injectable } from '@nestjs/common';
import { Database } from '@passwright/database';
import { UsersRepository } from '../users/users.repository.js';
import type { AuditEvent } from './audit-event.entity.js';

/** An audit event with the current name of its actor. */
export interface ListedEvent extends AuditEvent {
  readonly actorName: string | null;
}

/** Filters of the audit trail. */
export interface AuditEventFilter {
  readonly action?: string;
  /** A uid, a key's id, or `system`. */
  readonly actor?: string;
  readonly target?: { readonly kind: string; readonly id?: string };
  readonly since?: Date;
  readonly until?: Date;
}

/** The read queries of the audit trail. Only `AuditLog` writes it. */
@Injectable()
export class AuditEventsRepository {
  constructor(
    private readonly database: Database,
    private readonly users: UsersRepository,
  ) {}

  /**
   * Lists events, newest first, including the order within a millisecond.
   * @param after the last event of the previous page
   */
  async list(
    accountId: string,
    filter: AuditEventFilter,
    after: { at: Date; id: string } | null,
    limit: number,
  ): Promise<ListedEvent[]> {
    const { sql, values } = listQuery(accountId, filter, after, limit);
    const events = await this.database.reads.query<ListedEvent[]>(sql, values);
    const uids = events.flatMap(({ actorKind, actorId }) => (actorKind === 'user' && actorId ? [actorId] : []));
    const names = await this.users.namesOf(uids);
    return events.map((event) => ({ ...event, actorName: names.get(event.actorId ?? '') ?? event.actorName }));
  }
}

/**
 * Builds the SQL of the list. Looks up the names of API keys only for the events of the page. Exported for the query
 * plan tests.
 */
export function listQuery(
  accountId: string,
  { action, actor, target, since, until }: AuditEventFilter,
  after: { at: Date; id: string } | null,
  limit: number,
): { sql: string; values: unknown[] } {
  const values: unknown[] = [];
  const put = (value: unknown) => `$${values.push(value)}`;
  const conditions = [`account_id = ${put(accountId)}`];
  if (action !== undefined) conditions.push(`action = ${put(action)}`);
  if (actor === 'system') conditions.push('actor_id IS NULL');
  else if (actor !== undefined) conditions.push(`actor_id = ${put(actor)}`);
  if (target) conditions.push(`target_kind = ${put(target.kind)}`);
  if (target?.id !== undefined) conditions.push(`target_id = ${put(target.id)}`);
  if (since) conditions.push(`at >= ${put(since)}`);
  if (until) conditions.push(`at < ${put(until)}`);
  if (after) conditions.push(`(at, id) < (${put(after.at)}::timestamptz, ${put(after.id)})`);
  const sql = `
    SELECT e.account_id AS "accountId", e.id, e.at, e.actor_kind AS "actorKind", e.actor_id AS "actorId", e.action,
      e.target_kind AS "targetKind", e.target_id AS "targetId", e.ip, e.request_id AS "requestId", e.before, e.after,
      CASE e.actor_kind
        WHEN 'apiKey' THEN (SELECT name FROM api_key WHERE account_id = $1 AND id = e.actor_id)
      END AS "actorName"
    FROM (
      SELECT * FROM audit_event WHERE ${conditions.join(' AND ')} ORDER BY at DESC, id DESC LIMIT ${put(limit)}
    ) AS e
    ORDER BY e.at DESC, e.id DESC`;
  return { sql, values };
}
