import { Injectable } from '@nestjs/common';
import { clientAddress, Clock, SameKeyQueue, Unauthorized } from '@passwright/core';
import { DataSource } from 'typeorm';
import { AccountsOptions, defaultAttemptLimits } from '../accounts.options.js';
import { EmailTaken } from '../users/users.errors.js';
import { Attempts } from './attempts.js';
import { emailKeys } from './email-keys.js';
import { LoginThrottle } from './login-throttle.service.js';

/**
 * Slows down the guessing of e-mails, keys, tokens and codes, and bounds the mails that strangers cause, over all nodes.
 * Addresses are `request.ip`.
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
  /** Registrations from one address at the same moment are not counted together. */
  private readonly sameAddress = new SameKeyQueue();

  constructor(
    options: AccountsOptions,
    dataSource: DataSource,
    clock: Clock,
    readonly logins: LoginThrottle,
  ) {
    const limits = { ...defaultAttemptLimits, ...options.attemptLimits };
    const badCredentials = 'This credential is not valid, and too many such came from your address';
    const registrations = 'Too many registrations came from your address';
    const { registrationsPerAddress, takenEmailsPerAddress, badCredentialsPerAddress } = limits;
    this.registrations = new Attempts(dataSource, clock, 'register', registrationsPerAddress, registrations);
    this.takenEmails = new Attempts(dataSource, clock, 'register-taken', takenEmailsPerAddress, registrations);
    this.badCredentials = new Attempts(dataSource, clock, 'bad', badCredentialsPerAddress, badCredentials);
    const mails = 'Too many e-mails were asked for';
    const { passwordMailsPerAddress, passwordMailsPerEmail, emailChangesPerUser } = limits;
    this.passwordMailsPerAddress = new Attempts(dataSource, clock, 'forgot-ip', passwordMailsPerAddress, mails);
    this.passwordMailsPerEmail = new Attempts(dataSource, clock, 'forgot-email', passwordMailsPerEmail, mails);
    this.emailChanges = new Attempts(dataSource, clock, 'email-change', emailChangesPerUser, mails);
    const deletions = 'The deletion of this account was asked for too often';
    this.deletions = new Attempts(dataSource, clock, 'account-deletion', limits.deletionsPerAccount, deletions);
    this.hashed = emailKeys(options.accessTokenSecret);
  }

  /**
   * Counts a request for a mail to an e-mail, whether or not it is a user's.
   * @returns false when the e-mail gets too many: it is mailed later, never refused, as strangers can ask in its name
   * @throws RateLimited for the address that asks
   */
  async countPasswordMail(email: string, ip: string | undefined): Promise<boolean> {
    const address = clientAddress(ip);
    this.passwordMailsPerAddress.refuseKnown(address);
    await this.passwordMailsPerAddress.count(address);
    return this.passwordMailsPerEmail.allows(this.hashed(email));
  }

  /** Counts a mail that a user sends to an e-mail of their choice. @throws RateLimited */
  async countEmailChange(uid: string): Promise<void> {
    await this.emailChanges.count(uid);
  }

  /** Counts a deletion that an admin asks for, which mails all admins. @throws RateLimited */
  async countDeletion(accountId: string): Promise<void> {
    await this.deletions.count(accountId);
  }

  /**
   * Counts a registration, and before it is tried as one that meets a taken e-mail: past that limit the address learns of no
   * e-mail whether it is taken. @throws RateLimited. @throws whatever `register` throws
   */
  async countRegistration<T>(ip: string | undefined, register: () => Promise<T>): Promise<T> {
    const address = clientAddress(ip);
    return this.sameAddress.run(address, async () => {
      this.registrations.refuseKnown(address);
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
   * Counts a credential that `check` finds to be bad. A good one always passes: behind one address there may be many
   * callers, of which one with a stale key must not lock out the others. Nor does it help a guesser: keys and tokens
   * have 256 random bits, codes half of that at least.
   * @param isBad which errors say that it is bad
   * @throws RateLimited instead of such an error once the address is over its limit; without a query where this node knows
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
        this.badCredentials.refuseKnown(address);
        await this.badCredentials.count(address);
      }
      throw error;
    }
  }
}
