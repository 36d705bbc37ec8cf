import { Injectable } from '@nestjs/common';
import { Clock, Scheduled } from '@passwright/core';
import { Database } from '@passwright/database';
import { UsageRepository } from './usage.repository.js';

/** Covers the job before it, and clocks that differ: the run of minute 59 may begin this late. */
const lateMs = 30 * 60_000;

/** Records the active passes of each account by month. */
@Injectable()
export class UsageCron {
  constructor(
    private readonly repository: UsageRepository,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Replaces the record of the month. The last run of a month stays. */
  @Scheduled({ name: 'usage.note-month', crontab: '59 * * * *' })
  async noteMonth(): Promise<void> {
    const now = this.clock.now();
    // Due at minute 59: begun a little late, it still records the month that ends.
    const due = new Date(now.getTime() - lateMs);
    await this.database.transaction((tx) => this.repository.noteMonth(tx, due, now));
  }
}
