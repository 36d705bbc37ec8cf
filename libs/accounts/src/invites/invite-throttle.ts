import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock } from '@passwright/core';
import { DataSource } from 'typeorm';
import { AccountsOptions, defaultAttemptLimits } from '../accounts.options.js';
import { Attempts } from '../auth/attempts.js';

/** Keeps accounts from flooding people with invitations, over all nodes. */
@Injectable()
export class InviteThrottle {
  private readonly perAccount: Attempts;
  private readonly perEmail: Attempts;

  constructor(
    private readonly options: AccountsOptions,
    dataSource: DataSource,
    clock: Clock,
  ) {
    const { invitesPerAccount, invitesPerEmail } = { ...defaultAttemptLimits, ...options.attemptLimits };
    const many = 'The account has sent too many invitations';
    this.perAccount = new Attempts(dataSource, clock, 'invite', invitesPerAccount, many);
    this.perEmail = new Attempts(dataSource, clock, 'invite-email', invitesPerEmail, `${many} to this address`);
  }

  /** @throws RateLimited */
  async count(accountId: string, email: string): Promise<void> {
    // E-mails stand in no table of counters.
    const hashed = createHmac('sha256', this.options.accessTokenSecret).update(email.toLowerCase()).digest('base64url');
    await this.perEmail.count(`${accountId}:${hashed}`);
    await this.perAccount.count(accountId);
  }
}
