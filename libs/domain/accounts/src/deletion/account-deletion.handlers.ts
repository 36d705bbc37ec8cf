import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '@passwright/core';
import { Database } from '@passwright/database';
import { type JobContext, JobHandler, Jobs } from '@passwright/jobs';
import { AccountMembersRepository } from '../accounts/account-members.repository.js';
import { PersonalData } from '../personal-data/personal-data.service.js';
import { AccountData, type AccountTable, type Pause } from './account-data.service.js';
import { AccountDeletionDue } from './account-deletion.jobs.js';
import { AccountDeletionRepository } from '../accounts/account-deletion.repository.js';
import { notifiedBefore, notificationDays } from './notification-period.js';
import { AccountRowsRepository } from './account-rows.repository.js';

/** The maximum run time of one job. Then another job continues, so that other accounts are not delayed. */
const sliceMs = 10_000;

/** Thrown to end a job whose run time is over. */
class SliceOver extends Error {}

/**
 * Deletes an account that is due, in steps that commit separately, so that another job can continue after a crash.
 * First deletes the content. Deletes the rest 30 days later, because phones and Google need it to learn of the
 * deletion.
 */
@Injectable()
export class AccountDeletionHandlers {
  private readonly logger = new Logger('AccountDeletion');

  constructor(
    private readonly data: AccountData,
    private readonly rows: AccountRowsRepository,
    private readonly deletions: AccountDeletionRepository,
    private readonly members: AccountMembersRepository,
    private readonly personalData: PersonalData,
    private readonly database: Database,
    private readonly jobs: Jobs,
    private readonly clock: Clock,
  ) {}

  @JobHandler(AccountDeletionDue)
  async erase({ accountId }: AccountDeletionDue['payload'], { signal }: JobContext): Promise<void> {
    const endsAt = performance.now() + sliceMs;
    const pause = () => {
      signal.throwIfAborted();
      if (performance.now() >= endsAt) throw new SliceOver();
    };
    try {
      const stage = await this.database.transaction((tx) => this.begin(tx, accountId));
      if (stage === 'content') await this.eraseContent(accountId, pause);
      if (stage === 'rest') await this.eraseRest(accountId, pause);
    } catch (error) {
      if (!(error instanceof SliceOver)) throw error;
      await this.database.transaction((tx) => this.jobs.add(tx, new AccountDeletionDue({ accountId })));
    }
  }

  /** Returns the part to delete now. Locks the deletion, so that it cannot be cancelled at the same moment. */
  private async begin(
    tx: Parameters<Parameters<Database['transaction']>[0]>[0],
    accountId: string,
  ): Promise<'content' | 'rest' | 'nothing'> {
    await this.members.lock(tx, accountId);
    const deletion = await this.deletions.lock(tx, accountId);
    const now = this.clock.now();
    if (!deletion || deletion.deletesAt > now) return 'nothing';
    if (deletion.emptiedAt) return deletion.emptiedAt <= notifiedBefore(now) ? 'rest' : 'nothing';
    if (!deletion.beganAt) await this.deletions.save(tx, { ...deletion, beganAt: now });
    return 'content';
  }

  private async eraseContent(accountId: string, pause: Pause): Promise<void> {
    await this.eraseSteps(accountId, pause, (table) => !table.staysUntilNotified);
    await this.database.transaction(async (tx) => {
      const deletion = await this.deletions.lock(tx, accountId);
      if (!deletion || deletion.emptiedAt) return;
      for (const { emptied } of this.data.parts) await emptied?.(tx, accountId);
      await this.personalData.deleteKeysOf(tx, accountId);
      await this.deletions.anonymize(tx, accountId);
      await this.deletions.save(tx, { ...deletion, emptiedAt: this.clock.now() });
    });
    this.logger.log(`The content of the account ${accountId} is deleted; the rest goes in ${notificationDays} days`);
  }

  private async eraseRest(accountId: string, pause: Pause): Promise<void> {
    await this.eraseSteps(accountId, pause, () => true);
    await this.database.transaction((tx) => this.deletions.deleteAccount(tx, accountId));
    this.logger.log(`The account ${accountId} is deleted`);
  }

  private async eraseSteps(accountId: string, pause: Pause, goes: (table: AccountTable) => boolean): Promise<void> {
    for (const step of this.data.parts.flatMap(({ steps }) => steps)) {
      pause();
      if ('run' in step) await step.run(accountId, pause);
      else if (goes(step)) await this.eraseRows(accountId, step, pause);
    }
  }

  private async eraseRows(accountId: string, table: AccountTable, pause: Pause): Promise<void> {
    let after = await this.rows.deletePage(accountId, table, null);
    while (after) {
      pause();
      after = await this.rows.deletePage(accountId, table, after);
    }
  }
}
