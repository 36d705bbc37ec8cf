import { Injectable } from '@nestjs/common';
import { Clock, Scheduled } from '@passwright/core';
import { Database, pullAllBack, pullBack, type WaitingTimes } from '@passwright/database';
import { DeliveriesHandlers } from './deliveries.handlers.js';

const webhookKey = ['account_id', 'id'];
const waiting: readonly WaitingTimes[] = [
  // The longest pause is a day and a tenth.
  { table: 'webhook_delivery', key: ['account_id', 'webhook_id', 'event_id'], column: 'due_at', longestHours: 27 },
  { table: 'webhook', key: webhookKey, column: 'held_until', longestHours: 2 },
  // An hour ahead of any clock: counted from now, as it has failed at least since then.
  { table: 'webhook', key: webhookKey, column: 'failing_since', longestHours: 1 },
];

/** Has deliveries wait for no time that a wrong clock has written. */
@Injectable()
export class WrongTimesCron {
  constructor(
    private readonly database: Database,
    private readonly handlers: DeliveriesHandlers,
    private readonly clock: Clock,
  ) {}

  @Scheduled({ name: 'webhooks.pull-back', crontab: '*/5 * * * *', lane: 'looks' })
  run(): Promise<void> {
    return pullBack(this.database, waiting, this.clock.now());
  }

  /** Sends at once what waits, as the time has gone back. */
  @Scheduled({ name: 'webhooks.repair-times', lane: 'looks' })
  async repair(): Promise<void> {
    await pullAllBack(this.database, waiting, this.clock.now());
    await this.handlers.look();
  }
}
