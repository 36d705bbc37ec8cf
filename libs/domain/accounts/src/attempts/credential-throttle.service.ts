import { Injectable } from '@nestjs/common';
import { clientAddress, Clock, SameKeyQueue, Unauthorized } from '@passwright/core';
import { DataSource } from 'typeorm';
import { AccountsOptions } from '../accounts.options.js';
import { defaultAttemptLimits } from '../attempt-limits.js';
import { EmailTaken } from '../users/users.errors.js';
import { Attempts } from './attempts.js';
import { emailKeys } from './email-keys.js';
import { LoginThrottle } from './login-throttle.service.js';

/**
 * Limits guesses of e-mails, keys, tokens and codes, and the mails that strangers can trigger. The limits apply across
 * all nodes. `ip` is the caller's IP address, `request.ip`.
 */
@Injectable()
export class CredentialThrottle {
  private readonly registrations: Attempts;
  private readonly takenEmails: Attempts;
  private readonly badCredentials: Attempts;
  private readonly passwordMailsPerAddress: Attempts;
  private readonly passwordMailsPerEmail: Attempts;
  private readonly emailChanges: Attempts;
  private readonly deletions: Attempts;
  private readonly hashed: (email: string) => string;
  /**
   * Runs registrations from the same IP address one after another, so that a pending registration does not count
   * against the next one.
   */
  private readonly sameAddress = new SameKeyQueue();

  constructor(
    options: AccountsOptions,
    dataSource: DataSource,
    clock: Clock,
    readonly logins: LoginThrottle,
  ) {
    const limits = { ...defaultAttemptLimits, ...options.attemptLimits };
    const badCredentials = 'This credential is not valid, and too many invalid ones came from your address';
    const registrations = 'Too many registrations came from your address';
    const { registrationsPerAddress, takenEmailsPerAddress, badCredentialsPerAddress } = limits;
    this.registrations = new Attempts(dataSource, clock, 'register', registrationsPerAddress, registrations);
    this.takenEmails = new Attempts(dataSource, clock, 'register-taken', takenEmailsPerAddress, registrations);
    this.badCredentials = new Attempts(dataSource, clock, 'bad', badCredentialsPerAddress, badCredentials);
    const mails = 'Too many e-mails were requested';
    const { passwordMailsPerAddress, passwordMailsPerEmail, emailChangesPerUser } = limits;
    this.passwordMailsPerAddress = new Attempts(dataSource, clock, 'forgot-ip', passwordMailsPerAddress, mails);
    this.passwordMailsPerEmail = new Attempts(dataSource, clock, 'forgot-email', passwordMailsPerEmail, mails);
    this.emailChanges = new Attempts(dataSource, clock, 'email-change', emailChangesPerUser, mails);
    const deletions = 'The deletion of this account was requested too often';
    this.deletions = new Attempts(dataSource, clock, 'account-deletion', limits.deletionsPerAccount, deletions);
    this.hashed = emailKeys(options.accessTokenSecret);
  }

  /**
   * Counts a request for a reset mail, even if no user has the e-mail.
   * @returns false if the e-mail gets too many mails. The caller then delays the mail but accepts the request, because
   * strangers may have requested the other mails
   * @throws RateLimited if the IP address has requested too many mails
   */
  async countPasswordMail(email: string, ip: string | undefined): Promise<boolean> {
    const address = clientAddress(ip);
    this.passwordMailsPerAddress.rejectKnown(address);
    await this.passwordMailsPerAddress.count(address);
    return this.passwordMailsPerEmail.allows(this.hashed(email));
  }

  /** Counts a mail that a user sends to an e-mail of their choice. @throws RateLimited */
  async countEmailChange(uid: string): Promise<void> {
    await this.emailChanges.count(uid);
  }

  /** Counts a deletion request, which sends a mail to all admins. @throws RateLimited */
  async countDeletion(accountId: string): Promise<void> {
    await this.deletions.count(accountId);
  }

  /**
   * Runs a registration and counts it. An IP address that has tried too many taken e-mails cannot register at all, so
   * that its caller cannot find out which e-mails are taken.
   * @throws RateLimited.
   * @throws anything that `register` throws
   */
  async countRegistration<T>(ip: string | undefined, register: () => Promise<T>): Promise<T> {
    const address = clientAddress(ip);
    return this.sameAddress.run(address, async () => {
      this.registrations.rejectKnown(address);
      await this.takenEmails.count(address);
      let isTaken = false;
      try {
        await this.registrations.count(address);
        return await register();
      } catch (error) {
        isTaken = error instanceof EmailTaken;
        throw error;
      } finally {
        if (!isTaken) await this.takenEmails.giveBack(address);
      }
    });
  }

  /**
   * Runs `check`, and counts its credential if it is invalid. A valid credential always passes, so callers who share an
   * IP address cannot lock each other out.
   * @param isBad returns true for an error that means an invalid credential
   * @throws RateLimited instead of that error if the IP address is over its limit
   */
  async countIfBad<T>(
    ip: string | undefined,
    check: () => Promise<T>,
    isBad: (error: unknown) => boolean = (error) => error instanceof Unauthorized,
  ): Promise<T> {
    try {
      return await check();
    } catch (error) {
      if (isBad(error)) {
        const address = clientAddress(ip);
        this.badCredentials.rejectKnown(address);
        await this.badCredentials.count(address);
      }
      throw error;
    }
  }
}
