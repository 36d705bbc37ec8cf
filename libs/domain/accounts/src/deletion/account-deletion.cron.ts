import { Injectable } from '@nestjs/common';
import { Clock, Scheduled } from '@passwright/core';
import { Database } from '@passwright/database';
import { Jobs } from '@passwright/jobs';
import { AccountDeletionRepository } from '../accounts/account-deletion.repository.js';
import { AccountDeletionDue } from './account-deletion.jobs.js';
import { notifiedBefore } from './notification-period.js';

/** Adds the jobs for deletions that are due. */
@Injectable()
export class AccountDeletionCron {
  constructor(
    private readonly deletions: AccountDeletionRepository,
    private readonly database: Database,
    private readonly jobs: Jobs,
    private readonly clock: Clock,
  ) {}

  @Scheduled({ name: 'accounts.delete-due', crontab: '*/10 * * * *' })
  async deleteDue(): Promise<void> {
    const now = this.clock.now();
    const due = await this.deletions.listDue(now, notifiedBefore(now));
    const jobs = due.map((accountId) => new AccountDeletionDue({ accountId }));
    await this.database.transaction((tx) => this.jobs.addMany(tx, jobs));
  }
}
