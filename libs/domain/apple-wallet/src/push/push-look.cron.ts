import { Injectable } from '@nestjs/common';
import { Clock, Scheduled } from '@passwright/core';
import { Database } from '@passwright/database';
import { Jobs } from '@passwright/jobs';
import { PushCircuitsRepository } from './push-circuits.repository.js';
import { PushQueueRepository } from './push-queue.repository.js';
import { ApplePushDue } from './push.jobs.js';

const accountsAtOnce = 500;

/**
 * Looks every minute for accounts with devices that are due: those that have not fetched what they were told of, those
 * whose push failed or was never recorded, those under a new push token, and those of accounts that wait for another
 * certificate, or for theirs to be taken again.
 */
@Injectable()
export class PushLookCron {
  constructor(
    private readonly database: Database,
    private readonly queue: PushQueueRepository,
    private readonly circuits: PushCircuitsRepository,
    private readonly jobs: Jobs,
    private readonly clock: Clock,
  ) {}

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
