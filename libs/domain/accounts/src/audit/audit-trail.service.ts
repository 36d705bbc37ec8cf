import { Injectable } from '@nestjs/common';
import { Clock, randomId, requestOrigin } from '@passwright/core';
import type { EntityManager } from 'typeorm';
import { AuditEvent } from './audit-event.entity.js';

/** What is written into the trail. */
export interface AuditEntry {
  readonly accountId: string;
  /** `<noun>.<what happened>`, such as `user.removed`. Stable: callers filter by it. */
  readonly action: string;
  /** What was changed: `id` is one that the API names it by; of a session, its hash. */
  readonly target: { readonly kind: string; readonly id?: string };
  /** Of settings: what has changed, as it was and as it is. Never secrets, nor anything of a pass's holder. */
  readonly before?: object;
  readonly after?: object;
  /** Who did it, where it is not the caller of the request: on public routes, in jobs. Default: the caller, else the system. */
  readonly actor?: { readonly kind: 'user' | 'apiKey'; readonly id: string };
}

/** Writes down who did what, when and from where: it commits or rolls back with what was done. */
@Injectable()
export class AuditTrail {
  private last = { at: 0, events: 0 };

  constructor(private readonly clock: Clock) {}

  record(tx: EntityManager, entry: AuditEntry): Promise<void> {
    return this.recordMany(tx, [entry]);
  }

  /** As `record`, in one statement: at most 1000. */
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

  /** Events of one millisecond are listed in the order of their ids, so these count them. */
  private nextId(at: Date): string {
    const events = at.getTime() === this.last.at ? this.last.events + 1 : 0;
    this.last = { at: at.getTime(), events };
    return events.toString(36).padStart(4, '0') + randomId();
  }
}
