import { Injectable } from '@nestjs/common';
import { Clock, Scheduled } from '@passwright/core';
import { Database, pullAllBack, pullBack, type WaitingTimes } from '@passwright/database';
import { DueDeliveriesCron } from './due-deliveries.cron.js';

const webhookKey = ['account_id', 'id'];
const waiting: readonly WaitingTimes[] = [
  // The longest pause between attempts is a day plus ten percent.
  { table: 'webhook_delivery', key: ['account_id', 'webhook_id', 'event_id'], column: 'due_at', longestHours: 27 },
  { table: 'webhook', key: webhookKey, column: 'held_until', longestHours: 2 },
  // A time in the future is replaced with the current time, so that no webhook is disabled too early.
  { table: 'webhook', key: webhookKey, column: 'failing_since', longestHours: 1 },
];

/** Corrects due times that a wrong clock has written. */
@Injectable()
export class DeliveryClockRepairCron {
  constructor(
    private readonly database: Database,
    private readonly deliveries: DueDeliveriesCron,
    private readonly clock: Clock,
  ) {}

  @Scheduled({ name: 'webhooks.pull-back', crontab: '*/5 * * * *', lane: 'looks' })
  run(): Promise<void> {
    return pullBack(this.database, waiting, this.clock.now());
  }

  /**
   * Makes deliveries due now if their due time is too far ahead, and sends them. Run this job after the clock was set
   * back.
   */
  @Scheduled({ name: 'webhooks.repair-times', lane: 'looks' })
  async repair(): Promise<void> {
    await pullAllBack(this.database, waiting, this.clock.now());
    await this.deliveries.look();
  }
}
