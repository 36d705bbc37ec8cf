import { Injectable } from '@nestjs/common';
import { Clock, Scheduled } from '@passwright/core';
import { Database, pullAllBack, pullBack, type WaitingTimes } from '@passwright/database';
import { Jobs, trialTimes } from '@passwright/jobs';
import { GoogleResourcesDue } from './google.jobs.js';

const waiting: readonly WaitingTimes[] = [
  { table: 'google_resource', key: ['account_id', 'issuer_id', 'id'], column: 'due_at', longestHours: 27 },
  trialTimes,
];

/** Corrects due times that a wrong clock has written. */
@Injectable()
export class GoogleClockRepairCron {
  constructor(
    private readonly database: Database,
    private readonly jobs: Jobs,
    private readonly clock: Clock,
  ) {}

  @Scheduled({ name: 'google-wallet.pull-back', crontab: '*/5 * * * *', lane: 'looks' })
  run(): Promise<void> {
    return pullBack(this.database, waiting, this.clock.now());
  }

  /**
   * Makes resources due now if their due time is too far in the future, and writes them. Run this job after the clock
   * was set back.
   */
  @Scheduled({ name: 'google-wallet.repair-times', lane: 'looks' })
  async repair(): Promise<void> {
    await pullAllBack(this.database, waiting, this.clock.now());
    await this.database.transaction((tx) => this.jobs.add(tx, new GoogleResourcesDue({ accountId: '' })));
  }
}
