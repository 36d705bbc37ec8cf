import { Injectable } from '@nestjs/common';
import { clientAddress, Clock, Unauthorized } from '@passwright/core';
import { DataSource } from 'typeorm';
import { AccountsOptions, defaultAttemptLimits } from '../accounts.options.js';
import { Attempts } from './attempts.js';
import { emailKey } from './email-key.js';

const TAKEN_EMAIL_WEIGHT = 10;

/** Slows down whoever guesses passwords, e-mails, keys or tokens, over all nodes. Addresses are `request.ip`. */
@Injectable()
export class CredentialThrottle {
  private readonly loginsPerAddress: Attempts;
  private readonly loginsPerEmailAndAddress: Attempts;
  private readonly loginsPerEmail: Attempts;
  private readonly registrations: Attempts;
  private readonly badCredentials: Attempts;
  private readonly passwordMailsPerAddress: Attempts;
  private readonly passwordMailsPerEmail: Attempts;
  private readonly emailChanges: Attempts;

  constructor(
    private readonly options: AccountsOptions,
    dataSource: DataSource,
    clock: Clock,
  ) {
    const limits = { ...defaultAttemptLimits, ...options.attemptLimits };
    const logins = 'Too many failed logins';
    const badCredentials = 'This credential is not valid, and too many such came from your address';
    const registrations = 'Too many registrations came from your address';
    this.loginsPerAddress = new Attempts(dataSource, clock, 'login-ip', limits.loginsPerAddress, logins);
    this.loginsPerEmailAndAddress = new Attempts(dataSource, clock, 'login', limits.loginsPerEmailAndAddress, logins);
    this.loginsPerEmail = new Attempts(dataSource, clock, 'login-email', limits.loginsPerEmail, logins);
    this.registrations = new Attempts(dataSource, clock, 'register', limits.registrationsPerAddress, registrations);
    this.badCredentials = new Attempts(dataSource, clock, 'bad', limits.badCredentialsPerAddress, badCredentials);
    const mails = 'Too many e-mails were asked for';
    const { passwordMailsPerAddress, passwordMailsPerEmail, emailChangesPerUser } = limits;
    this.passwordMailsPerAddress = new Attempts(dataSource, clock, 'forgot-ip', passwordMailsPerAddress, mails);
    this.passwordMailsPerEmail = new Attempts(dataSource, clock, 'forgot-email', passwordMailsPerEmail, mails);
    this.emailChanges = new Attempts(dataSource, clock, 'email-change', emailChangesPerUser, mails);
  }

  /**
   * Counts a login as failed until `loginSucceeded`. A refusal by a narrower limit does not count towards the wider
   * ones: who is refused cannot lock out the neighbours behind one address, nor the user elsewhere. @throws RateLimited
   */
  async countLogin(email: string, ip: string | undefined): Promise<void> {
    const [address, user] = [clientAddress(ip), this.hashed(email)];
    this.loginsPerAddress.refuseKnown(address);
    await this.loginsPerEmailAndAddress.count(`${user}:${address}`);
    await this.loginsPerAddress.count(address);
    await this.loginsPerEmail.count(user);
  }

  async loginSucceeded(email: string, ip: string | undefined): Promise<void> {
    const [address, user] = [clientAddress(ip), this.hashed(email)];
    await Promise.all([
      this.loginsPerEmailAndAddress.forget(`${user}:${address}`),
      this.loginsPerAddress.giveBack(address),
      this.loginsPerEmail.giveBack(user),
    ]);
  }

  /** Failed logins of one who has set a new password count no more: there they may sign in with it at once. */
  async passwordWasSet(email: string, ip: string | undefined): Promise<void> {
    const [address, user] = [clientAddress(ip), this.hashed(email)];
    await Promise.all([this.loginsPerEmailAndAddress.forget(`${user}:${address}`), this.loginsPerEmail.forget(user)]);
  }

  /** Counts a request for a mail to an e-mail, whether or not it is a user's. @throws RateLimited */
  async countPasswordMail(email: string, ip: string | undefined): Promise<void> {
    this.passwordMailsPerAddress.refuseKnown(clientAddress(ip));
    await this.passwordMailsPerEmail.count(this.hashed(email));
    await this.passwordMailsPerAddress.count(clientAddress(ip));
  }

  /** Counts a mail that a user sends to an e-mail of their choice. @throws RateLimited */
  async countEmailChange(uid: string): Promise<void> {
    await this.emailChanges.count(uid);
  }

  /** @throws RateLimited */
  async countRegistration(ip: string | undefined): Promise<void> {
    this.registrations.refuseKnown(clientAddress(ip));
    await this.registrations.count(clientAddress(ip));
  }

  /** Makes a registration that met a taken e-mail count ten times. @throws RateLimited */
  async countTakenEmail(ip: string | undefined): Promise<void> {
    await this.registrations.count(clientAddress(ip), TAKEN_EMAIL_WEIGHT - 1);
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

  private hashed(email: string): string {
    return emailKey(this.options.accessTokenSecret, email);
  }
}
