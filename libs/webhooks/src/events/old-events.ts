import { Injectable } from '@nestjs/common';
import { Clock } from '@passwright/core';
import { Database, type JobContext, Scheduled } from '@passwright/database';
import type { EntityManager } from 'typeorm';
import { forgottenBefore } from './event-cursor.js';
import { WebhookEventsRepository } from './webhook-events.repository.js';

/** How many are forgotten in one transaction. */
const FORGOTTEN_AT_ONCE = 2000;

/** Forgets what happened more than 30 days ago, and what webhooks leave that are gone. */
@Injectable()
export class OldEvents {
  constructor(
    private readonly database: Database,
    private readonly repository: WebhookEventsRepository,
    private readonly clock: Clock,
  ) {}

  @Scheduled({ name: 'webhooks.forget-events', crontab: '37 * * * *' })
  async forget({ signal }: Pick<JobContext, 'signal'>): Promise<void> {
    const before = forgottenBefore(this.clock.now());
    await this.untilDone(signal, (tx, limit) => this.repository.forget(tx, before, limit));
    for (const gone of await this.repository.listGone()) {
      await this.untilDone(signal, (tx, limit) => this.repository.deleteDeliveries(tx, gone, limit));
    }
  }

  /** @param some forgets some in one transaction, and returns how many */
  private async untilDone(
    signal: AbortSignal,
    some: (tx: EntityManager, limit: number) => Promise<number>,
  ): Promise<void> {
    const page = () => this.database.transaction((tx) => some(tx, FORGOTTEN_AT_ONCE));
    while ((await page()) === FORGOTTEN_AT_ONCE) signal.throwIfAborted();
  }
}
