import { Injectable } from '@nestjs/common';
import { clientAddress, Clock, RateLimited, SameKeyQueue } from '@passwright/core';
import { DataSource } from 'typeorm';
import { AccountsOptions } from '../accounts.options.js';
import { defaultAttemptLimits } from '../attempt-limits.js';
import { Attempts } from './attempts.js';
import { emailKeys } from './email-keys.js';
import { KnownAddresses } from './known-addresses.repository.js';

/** Limits guesses of passwords across all nodes. `ip` is the caller's IP address, `request.ip`. */
@Injectable()
export class LoginThrottle {
  private readonly perAddress: Attempts;
  private readonly perEmailAndAddress: Attempts;
  private readonly perEmail: Attempts;
  private readonly hashed: (email: string) => string;
  /**
   * Runs the logins of one user from one IP address one after another, so that a pending login does not count against
   * the next one.
   */
  private readonly sameUser = new SameKeyQueue();

  constructor(
    private readonly knownAddresses: KnownAddresses,
    options: AccountsOptions,
    dataSource: DataSource,
    clock: Clock,
  ) {
    const limits = { ...defaultAttemptLimits, ...options.attemptLimits };
    const many = 'Too many failed logins';
    this.perAddress = new Attempts(dataSource, clock, 'login-ip', limits.loginsPerAddress, many);
    this.perEmailAndAddress = new Attempts(dataSource, clock, 'login', limits.loginsPerEmailAndAddress, many);
    this.perEmail = new Attempts(dataSource, clock, 'login-email', limits.loginsPerEmail, many);
    this.hashed = emailKeys(options.accessTokenSecret);
  }

  /**
   * Counts a login as failed before it is checked. Subtracts it again if the login succeeds or cannot be checked.
   * @param login returns the user, or null if the login has failed
   * @throws RateLimited.
   * @throws anything that `login` throws
   */
  async attempt<T extends { readonly uid: string }>(
    email: string,
    ip: string | undefined,
    login: () => Promise<T | null>,
  ): Promise<T | null> {
    const [address, user] = [clientAddress(ip), this.hashed(email)];
    return this.sameUser.run(`${user}:${address}`, async () => {
      await this.count(email, user, address);
      const found = await login().catch(async (error: unknown) => {
        await Promise.all([this.perEmailAndAddress.giveBack(`${user}:${address}`), this.giveBack(user, address)]);
        throw error;
      });
      if (!found) return null;
      await Promise.all([this.perEmailAndAddress.forget(`${user}:${address}`), this.giveBack(user, address)]);
      await this.knownAddresses.remember(found.uid, email, address);
      return found;
    });
  }

  /** Clears failed logins after a new password was set, so that the user can sign in with it immediately. */
  async passwordWasSet(uid: string, email: string, ip: string | undefined): Promise<void> {
    const [address, user] = [clientAddress(ip), this.hashed(email)];
    await Promise.all([this.perEmailAndAddress.forget(`${user}:${address}`), this.perEmail.forget(user)]);
    await this.knownAddresses.remember(uid, email, address);
  }

  /** Remembers the IP address from which a user signed in without a password. */
  async cameIn(uid: string, email: string, ip: string | undefined): Promise<void> {
    await this.knownAddresses.remember(uid, email, clientAddress(ip));
  }

  /**
   * Counts against the narrowest limit first. If it rejects the attempt, the wider limits do not count it, so that a
   * caller cannot lock out others.
   */
  private async count(email: string, user: string, address: string): Promise<void> {
    this.perAddress.rejectKnown(address);
    await this.perEmailAndAddress.count(`${user}:${address}`);
    await this.perAddress.count(address);
    try {
      await this.perEmail.count(user);
    } catch (error) {
      if (!(error instanceof RateLimited) || !(await this.knownAddresses.has(email, address))) throw error;
    }
  }

  private async giveBack(user: string, address: string): Promise<void> {
    await Promise.all([this.perAddress.giveBack(address), this.perEmail.giveBack(user)]);
  }
}
