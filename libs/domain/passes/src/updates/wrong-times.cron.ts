import { Injectable } from '@nestjs/common';
import { Clock } from '@passwright/core';
import { Database, Jobs, pullAllBack, pullBack, Scheduled, type WaitingTimes } from '@passwright/database';
import { GoogleResourcesDue } from '../google/google.jobs.js';
import { longestWaitHours } from './push-pacing.js';
import { PushSchedule } from './push-schedule.js';

const haltKey = ['account_id', 'fingerprint'];
const resourceKey = ['account_id', 'issuer_id', 'id'];
const waiting: readonly WaitingTimes[] = [
  { table: 'apple_push_page', key: ['account_id', 'id'], column: 'due_at', longestHours: longestWaitHours },
  { table: 'apple_push_halt', key: haltKey, column: 'retry_at', longestHours: 2 },
  { table: 'google_resource', key: resourceKey, column: 'due_at', longestHours: 25 },
  { table: 'google_halt', key: haltKey, column: 'retry_at', longestHours: 2 },
];

/** Has devices and Google resources wait for no time that a wrong clock has written. */
@Injectable()
export class WrongTimesCron {
  constructor(
    private readonly database: Database,
    private readonly schedule: PushSchedule,
    private readonly jobs: Jobs,
    private readonly clock: Clock,
  ) {}

  @Scheduled({ name: 'passes.pull-back', crontab: '*/5 * * * *', lane: 'looks' })
  run(): Promise<void> {
    return pullBack(this.database, waiting, this.clock.now());
  }

  /** Pushes and writes at once what waits, as the time has gone back. */
  @Scheduled({ name: 'passes.repair-times', lane: 'looks' })
  async repair(): Promise<void> {
    await pullAllBack(this.database, waiting, this.clock.now());
    await this.schedule.look();
    await this.database.transaction((tx) => this.jobs.add(tx, new GoogleResourcesDue({ accountId: '' })));
  }
}
