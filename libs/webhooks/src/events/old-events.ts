import { Injectable } from '@nestjs/common';
import { Clock } from '@passwright/core';
import { Database, type JobContext, Scheduled } from '@passwright/database';
import { forgottenBefore } from './event-cursor.js';
import { WebhookEventsRepository } from './webhook-events.repository.js';

/** How many are forgotten in one transaction. */
const FORGOTTEN_AT_ONCE = 2000;

/** Forgets what happened more than 30 days ago. */
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
    while ((await this.forgetSome(before)) === FORGOTTEN_AT_ONCE) signal.throwIfAborted();
    await this.database.transaction((tx) => this.repository.deleteOrphans(tx));
  }

  private forgetSome(before: Date): Promise<number> {
    return this.database.transaction((tx) => this.repository.forget(tx, before, FORGOTTEN_AT_ONCE));
  }
}
