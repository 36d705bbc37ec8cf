import { Injectable, Logger } from '@nestjs/common';
import { loggedError, Mailer, MailRejected } from '@passwright/core';
import { JobHandler } from '@passwright/jobs';
import { SelfServiceOptions } from '../self-service.options.js';
import { AccountAdmins } from '../accounts/account-admins.repository.js';
import { accountDeletionMail } from './account-deletion-mail.js';
import { AccountDeletionRequested } from './account-deletion.jobs.js';
import { AccountDeletionRepository } from '../accounts/account-deletion.repository.js';

/** Notifies admins by e-mail that their account will be deleted. */
@Injectable()
export class AccountDeletionMailsHandlers {
  private readonly logger = new Logger('AccountDeletion');

  constructor(
    private readonly admins: AccountAdmins,
    private readonly deletions: AccountDeletionRepository,
    private readonly mailer: Mailer,
    private readonly options: SelfServiceOptions,
  ) {}

  /** Sends the mail, unless the deletion was cancelled. @throws the mailer's error if a retry may succeed */
  @JobHandler(AccountDeletionRequested)
  async send({ accountId, uid, deletesAt }: AccountDeletionRequested['payload']): Promise<void> {
    const [admin, deletion] = await Promise.all([this.admins.find(accountId, uid), this.deletions.find(accountId)]);
    if (!admin || deletion?.deletesAt.toISOString() !== deletesAt) return;
    const mail = accountDeletionMail(admin.accountName, deletion.deletesAt, this.options.baseUrl);
    try {
      await this.mailer.send({ id: `account-deletion:${accountId}:${uid}:${deletesAt}`, to: admin.email, ...mail });
    } catch (error) {
      if (!(error instanceof MailRejected)) throw error;
      this.logger.warn(`The mail to the admin ${uid} is given up: ${loggedError(error).message}`);
    }
  }
}
