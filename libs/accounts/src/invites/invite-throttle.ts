import { Injectable } from '@nestjs/common';
import { Clock } from '@passwright/core';
import { DataSource } from 'typeorm';
import { AccountsOptions, defaultAttemptLimits } from '../accounts.options.js';
import { Attempts } from '../auth/attempts.js';
import { emailKey } from '../auth/email-key.js';

/** Keeps accounts from flooding people with invitations, over all nodes. */
@Injectable()
export class InviteThrottle {
  private readonly perAccount: Attempts;
  private readonly perEmail: Attempts;
  private readonly perEmailOverall: Attempts;

  constructor(
    private readonly options: AccountsOptions,
    dataSource: DataSource,
    clock: Clock,
  ) {
    const { invitesPerAccount, invitesPerEmail, invitesPerEmailOverall } = {
      ...defaultAttemptLimits,
      ...options.attemptLimits,
    };
    const many = 'The account has sent too many invitations';
    this.perAccount = new Attempts(dataSource, clock, 'invite', invitesPerAccount, many);
    this.perEmail = new Attempts(dataSource, clock, 'invite-email', invitesPerEmail, `${many} to this address`);
    const overall = 'Too many invitations were sent to this address';
    this.perEmailOverall = new Attempts(dataSource, clock, 'invite-to', invitesPerEmailOverall, overall);
  }

  /** @throws RateLimited */
  async count(accountId: string, email: string): Promise<void> {
    const hashed = emailKey(this.options.accessTokenSecret, email);
    await this.perEmail.count(`${accountId}:${hashed}`);
    await this.perEmailOverall.count(hashed);
    await this.perAccount.count(accountId);
  }
}
