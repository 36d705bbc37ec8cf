import { Injectable } from '@nestjs/common';
import { Clock, Scheduled } from '@passwright/core';
import { Database } from '@passwright/database';
import { Jobs } from '@passwright/jobs';
import { PushCircuitsRepository } from './push-circuits.repository.js';
import { PushQueueRepository } from './push-queue.repository.js';
import { ApplePushDue } from './push.jobs.js';

const accountsAtOnce = 500;

/**
 * Checks every minute for accounts with due devices, for example after a failed push, a new push token, or a push whose
 * change the device has not fetched.
 */
@Injectable()
export class PushDueCron {
  constructor(
    private readonly database: Database,
    private readonly queue: PushQueueRepository,
    private readonly circuits: PushCircuitsRepository,
    private readonly jobs: Jobs,
    private readonly clock: Clock,
  ) {}

  /** Immediately sends the pushes of devices that a crashed process had claimed. */
  @Scheduled({ name: 'apple-push.end-dead-claims', after: 'process died', lane: 'looks' })
  async endDeadClaims(): Promise<void> {
    await this.queue.endDeadClaims(this.clock.now());
    await this.look();
  }

  @Scheduled({ name: 'apple-push.look', crontab: '* * * * *', lane: 'looks' })
  async look(): Promise<void> {
    const now = this.clock.now();
    await this.circuits.forget(now);
    let accountIds: string[];
    let last = '';
    do {
      accountIds = await this.queue.accountsDue(now, last, accountsAtOnce);
      last = accountIds.at(-1) ?? last;
      const jobs = accountIds.map((accountId) => new ApplePushDue({ accountId }));
      await this.database.transaction((tx) => this.jobs.addMany(tx, jobs));
    } while (accountIds.length === accountsAtOnce);
  }
}
