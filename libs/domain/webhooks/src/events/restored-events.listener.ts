import { Injectable } from '@nestjs/common';
import { IncarnationListener, type IncarnationStep } from '@passwright/jobs';
import type { EntityManager } from 'typeorm';
import { WebhookEventsRepository } from './webhook-events.repository.js';

const EVENTS_AT_ONCE = 1000;

interface Place {
  /** The account to continue with; absent to start with the first account. */
  readonly accountId?: string;
}

/** Renumbers the events from before a restore. They keep their order and come before all later events. */
@Injectable()
export class RestoredEventsListener extends IncarnationListener {
  override readonly incarnationWork = 'webhooks.events';

  constructor(private readonly repository: WebhookEventsRepository) {
    super();
  }

  override async incarnationStep(tx: EntityManager, { accountId }: Place): Promise<IncarnationStep> {
    const renumbered = accountId === undefined ? 0 : await this.repository.renumber(tx, accountId, EVENTS_AT_ONCE);
    if (renumbered === EVENTS_AT_ONCE) return { next: { accountId } };
    const next = await this.repository.accountAfter(tx, accountId ?? '');
    return { next: next === null ? null : { accountId: next } };
  }
}
