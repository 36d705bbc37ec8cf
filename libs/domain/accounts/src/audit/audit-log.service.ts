import { Injectable } from '@nestjs/common';
import { Clock, randomId, requestOrigin } from '@passwright/core';
import type { EntityManager } from 'typeorm';
import { AuditEvent } from './audit-event.entity.js';

/** An event to write into the audit trail. */
export interface AuditEntry {
  readonly accountId: string;
  /** `<noun>.<past participle>`, such as `user.removed`. Stable, because callers filter by it. */
  readonly action: string;
  /** The changed object. `id` is the id that the API uses; for a session, a hash of its id. */
  readonly target: { readonly kind: string; readonly id?: string };
  /** The changed settings before and after the change. Never contains secrets or data about a pass holder. */
  readonly before?: object;
  readonly after?: object;
  /**
   * The actor. Set it only if it is not the caller of the request, for example in jobs. Default: the caller, or the
   * system if there is no caller.
   */
  readonly actor?: { readonly kind: 'user' | 'apiKey'; readonly id: string };
}

/** Records actor, action, time and IP address of each change, in the transaction of the change. */
@Injectable()
export class AuditLog {
  private last = { at: 0, events: 0 };

  constructor(private readonly clock: Clock) {}

  record(tx: EntityManager, entry: AuditEntry): Promise<void> {
    return this.recordMany(tx, [entry]);
  }

  /** Records up to 1000 events in one statement. */
  async recordMany(tx: EntityManager, entries: readonly AuditEntry[]): Promise<void> {
    if (entries.length === 0) return;
    const at = this.clock.now();
    await tx.insert(
      AuditEvent,
      entries.map((entry) => this.eventOf(entry, at)),
    );
  }

  private eventOf({ accountId, action, target, before, after, actor }: AuditEntry, at: Date): AuditEvent {
    const origin = requestOrigin();
    const by = actor ?? origin?.principal;
    return {
      accountId,
      id: this.nextId(at),
      at,
      actorKind: by?.kind ?? 'system',
      actorId: by?.id ?? null,
      action,
      targetKind: target.kind,
      targetId: target.id ?? null,
      ip: origin?.ip ?? null,
      requestId: origin?.requestId ?? null,
      before: before ?? null,
      after: after ?? null,
    };
  }

  /**
   * Returns an id that is greater than all earlier ids of the same millisecond, because lists sort the events of a
   * millisecond by id.
   */
  private nextId(at: Date): string {
    const events = at.getTime() === this.last.at ? this.last.events + 1 : 0;
    this.last = { at: at.getTime(), events };
    return events.toString(36).padStart(4, '0') + randomId();
  }
}
