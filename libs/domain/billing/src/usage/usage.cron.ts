import { Injectable } from '@nestjs/common';
import { Clock, Scheduled } from '@passwright/core';
import { Database } from '@passwright/database';
import { UsageRepository } from './usage.repository.js';

/**
 * The time by which the run of minute 59 may be late. It is longer than any delay of the job and any difference between
 * clocks.
 */
const lateMs = 30 * 60_000;

/** Records the active passes of each account by month. */
@Injectable()
export class UsageCron {
  constructor(
    private readonly repository: UsageRepository,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Records the current month, replacing the previous record. The record of the month's last run stays. */
  @Scheduled({ name: 'usage.note-month', crontab: '59 * * * *' })
  async noteMonth(): Promise<void> {
    const now = this.clock.now();
    // The job is due at minute 59. If it starts slightly late, it still records the month that ends.
    const due = new Date(now.getTime() - lateMs);
    await this.database.transaction((tx) => this.repository.noteMonth(tx, due, now));
  }
}
