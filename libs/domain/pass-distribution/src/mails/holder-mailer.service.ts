import { Injectable } from '@nestjs/common';
import { AccountMembersService } from '@passwright/accounts';
import { type Mail, Mailer, MailRejected, TestAccounts } from '@passwright/core';
import { Database } from '@passwright/database';

/** Sends mails to holders. In a test account, only the account's own users receive them. */
@Injectable()
export class HolderMailer {
  constructor(
    private readonly mailer: Mailer,
    private readonly testAccounts: TestAccounts,
    private readonly members: AccountMembersService,
    private readonly database: Database,
  ) {}

  /** @throws MailRejected if the mail server or the rule for test accounts rejects the recipient. @throws Error for other failures */
  async send(accountId: string, mail: Mail): Promise<void> {
    if (await this.testAccounts.has(accountId)) await this.requireUser(accountId, mail.to);
    await this.mailer.send(mail);
  }

  private async requireUser(accountId: string, email: string): Promise<void> {
    const isUsers = await this.database.transaction((tx) => this.members.hasEmail(tx, accountId, email));
    if (isUsers) return;
    throw new MailRejected('a test account sends mails only to its own users');
  }
}
