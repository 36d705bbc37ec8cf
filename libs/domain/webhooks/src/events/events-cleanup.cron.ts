import { Injectable } from '@nestjs/common';
import { Clock, Scheduled } from '@passwright/core';
import { Database, maintainPartitions, type PartitionedTable } from '@passwright/database';
import type { JobContext } from '@passwright/jobs';
import type { EntityManager } from 'typeorm';
import { forgottenBefore } from './event-retention.js';
import { WebhookEventsRepository } from './webhook-events.repository.js';

const FORGOTTEN_AT_ONCE = 2000;

/** Returns the lowest possible id of an event at this time. Ids begin with the time in milliseconds. */
export function eventIdAt(at: Date): string {
  return `evt_${at.getTime().toString(16).padStart(12, '0')}`;
}

const byWeek = { each: 'week', ahead: 2, keyAt: eventIdAt } as const;
const tables: readonly PartitionedTable[] = [
  { name: 'webhook_delivery', key: 'event_id', ...byWeek },
  { name: 'webhook_event', key: 'id', ...byWeek },
];

/**
 * Drops the event partitions of weeks that ended more than 30 days ago, and deletes the deliveries of deleted webhooks.
 */
@Injectable()
export class EventsCleanupCron {
  constructor(
    private readonly database: Database,
    private readonly repository: WebhookEventsRepository,
    private readonly clock: Clock,
  ) {}

  @Scheduled({ name: 'webhooks.forget-events', crontab: '37 * * * *' })
  async forget({ signal }: Pick<JobContext, 'signal'>): Promise<void> {
    const now = this.clock.now();
    for (const table of tables) await maintainPartitions(this.database, table, { now, before: forgottenBefore(now) });
    for (const gone of await this.repository.listGone()) {
      await this.untilDone(signal, (tx, limit) => this.repository.deleteDeliveries(tx, gone, limit));
    }
  }

  /**
   * Repeats a deletion until there are no more rows. @param some deletes some rows in one transaction, and returns
   * their number
   */
  private async untilDone(
    signal: AbortSignal,
    some: (tx: EntityManager, limit: number) => Promise<number>,
  ): Promise<void> {
    const page = () => this.database.transaction((tx) => some(tx, FORGOTTEN_AT_ONCE));
    while ((await page()) === FORGOTTEN_AT_ONCE) signal.throwIfAborted();
  }
}
