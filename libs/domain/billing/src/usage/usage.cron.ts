import { Injectable } from '@nestjs/common';
import { Clock, Scheduled } from '@passwright/core';
import { Database } from '@passwright/database';
import { UsageDaysRepository } from './usage-days.repository.js';
import { UsageRepository } from './usage.repository.js';

/**
 * Subtracted from the current time, so that a run of minute 59 counts for its own hour even if it starts late. No run
 * starts half an hour late, and no clock differs by that much.
 */
const lateMs = 30 * 60_000;

/** Records the usage of each account by month and by day. */
@Injectable()
export class UsageCron {
  constructor(
    private readonly repository: UsageRepository,
    private readonly days: UsageDaysRepository,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /**
   * Records the current month's usage every hour, and replaces the month's earlier record. So the last run of a month
   * writes its final record.
   */
  @Scheduled({ name: 'usage.note-month', crontab: '59 * * * *' })
  async noteMonth(): Promise<void> {
    const now = this.clock.now();
    await this.database.transaction((tx) => this.repository.noteMonth(tx, dueAt(now), now));
  }

  /**
   * Records the current day's usage every hour, and replaces the day's earlier record. So the last run of a day writes
   * its final record.
   */
  @Scheduled({ name: 'usage.note-day', crontab: '59 * * * *' })
  async noteDay(): Promise<void> {
    await this.database.transaction((tx) => this.days.note(tx, dueAt(this.clock.now())));
  }
}

/** Returns a time within the hour that is ending, even if the run of minute 59 starts late. */
function dueAt(now: Date): Date {
  return new Date(now.getTime() - lateMs);
}
