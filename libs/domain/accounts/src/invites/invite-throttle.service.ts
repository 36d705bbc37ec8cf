import { Injectable } from '@nestjs/common';
import { Clock } from '@passwright/core';
import { DataSource } from 'typeorm';
import { AccountsOptions } from '../accounts.options.js';
import { defaultAttemptLimits } from '../attempt-limits.js';
import { AccountsService } from '../accounts/accounts.service.js';
import { Attempts } from '../attempts/attempts.js';
import { emailKeys } from '../attempts/email-keys.js';

/**
 * Limits invitations across all nodes, so that accounts cannot flood people with mails. Counts the accounts of one
 * founder together.
 */
@Injectable()
export class InviteThrottle {
  private readonly perFounder: Attempts;
  private readonly perEmail: Attempts;
  private readonly perEmailOverall: Attempts;
  private readonly hashed: (email: string) => string;

  constructor(
    private readonly accounts: AccountsService,
    options: AccountsOptions,
    dataSource: DataSource,
    clock: Clock,
  ) {
    const { invitesPerFounder, invitesPerEmail, invitesPerEmailOverall } = {
      ...defaultAttemptLimits,
      ...options.attemptLimits,
    };
    const many = 'The account, or the others of its founder, have sent too many invitations';
    this.perFounder = new Attempts(dataSource, clock, 'invite', invitesPerFounder, many);
    this.perEmail = new Attempts(dataSource, clock, 'invite-email', invitesPerEmail, `${many} to this address`);
    const overall = 'Too many invitations were sent to this address';
    this.perEmailOverall = new Attempts(dataSource, clock, 'invite-to', invitesPerEmailOverall, overall);
    this.hashed = emailKeys(options.accessTokenSecret);
  }

  /**
   * Counts an invitation. All founders share one limit per e-mail address. A founder's first invitation to an address
   * does not count towards this limit, so that other founders cannot block the invitation.
   * @throws RateLimited
   */
  async count(accountId: string, email: string): Promise<void> {
    const [hashed, founder] = [this.hashed(email), await this.accounts.shareOf(accountId)];
    const isFirst = (await this.perEmail.count(`${founder}:${hashed}`)) === 1;
    if (!isFirst) await this.perEmailOverall.count(hashed);
    await this.perFounder.count(founder);
  }
}
