import { Injectable } from '@nestjs/common';
import { Clock, Scheduled } from '@passwright/core';
import { Database, pullAllBack, pullBack, type WaitingTimes } from '@passwright/database';
import { trialTimes } from '@passwright/jobs';
import { longestWaitHours } from './push-pacing.js';
import { PushDueCron } from './push-due.cron.js';

const waiting: readonly WaitingTimes[] = [
  { table: 'apple_push_page', key: ['account_id', 'id'], column: 'due_at', longestHours: longestWaitHours },
  trialTimes,
];

/** Corrects times in the future that a wrong clock has written. */
@Injectable()
export class PushClockRepairCron {
  constructor(
    private readonly database: Database,
    private readonly schedule: PushDueCron,
    private readonly clock: Clock,
  ) {}

  @Scheduled({ name: 'passes.pull-back', crontab: '*/5 * * * *', lane: 'looks' })
  run(): Promise<void> {
    return pullBack(this.database, waiting, this.clock.now());
  }

  /**
   * Makes pages due now if their due time is too far in the future, and sends their pushes. Run this job after the
   * clock was set back.
   */
  @Scheduled({ name: 'passes.repair-times', lane: 'looks' })
  async repair(): Promise<void> {
    await pullAllBack(this.database, waiting, this.clock.now());
    await this.schedule.look();
  }
}
