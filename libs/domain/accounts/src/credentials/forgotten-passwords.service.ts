import { Injectable } from '@nestjs/common';
import { Clock, newId } from '@passwright/core';
import { Database } from '@passwright/database';
import { Jobs } from '@passwright/jobs';
import { CredentialThrottle } from '../attempts/credential-throttle.service.js';
import { Passwords } from './passwords.service.js';
import { ChangedCredentials } from './changed-credentials.service.js';
import { CodeNotValid } from './credentials.errors.js';
import { PasswordForgotten } from './credentials.jobs.js';
import { userCodeHash } from './user-codes.js';
import { UserCodesRepository } from './user-codes.repository.js';
import { UserCredentialsRepository } from '../users/user-credentials.repository.js';

const mailEveryMs = 5 * 60_000;

/** Resets the passwords of users who cannot sign in. `ip` is the caller's IP address, by which attempts are counted. */
@Injectable()
export class ForgottenPasswordsService {
  constructor(
    private readonly database: Database,
    private readonly users: UserCredentialsRepository,
    private readonly codes: UserCodesRepository,
    private readonly passwords: Passwords,
    private readonly throttle: CredentialThrottle,
    private readonly changed: ChangedCredentials,
    private readonly jobs: Jobs,
    private readonly clock: Clock,
  ) {}

  /**
   * Requests a reset mail. Even an unregistered e-mail adds a job, for a uid that no user has, so that the response
   * takes the same time. Delays the mail by up to five minutes if too many mails go to the e-mail.
   * @throws RateLimited
   */
  async forget(email: string, ip: string | undefined): Promise<void> {
    const atOnce = await this.throttle.countPasswordMail(email, ip);
    const nobody = newId('usr');
    const uid = (await this.users.findUid(email)) ?? nobody;
    await this.database.transaction((tx) =>
      this.jobs.add(tx, atOnce ? new PasswordForgotten({ uid }) : this.later(uid)),
    );
  }

  /**
   * Returns the user that a reset code belongs to. The code stays valid. @throws CodeNotValid. @throws RateLimited
   */
  ownerOf(code: string, ip: string | undefined): Promise<{ uid: string; email: string }> {
    return this.throttle.countIfBad(ip, () => this.findOwner(code));
  }

  /**
   * Sets a password and ends every session of the user. Each code works once. Clears failed logins, so that the user
   * can sign in.
   * @throws CodeNotValid.
   * @throws RateLimited
   */
  async reset(code: string, password: string, ip: string | undefined): Promise<{ uid: string }> {
    const owner = await this.ownerOf(code, ip);
    const passwordHash = await this.passwords.hash(password);
    await this.throttle.countIfBad(ip, () =>
      this.database.transaction(async (tx) => {
        if (!(await this.users.lockIfThere(tx, owner.uid))) throw new CodeNotValid();
        const taken = await this.codes.take(tx, 'password', userCodeHash(code), this.clock.now());
        if (!taken) throw new CodeNotValid();
        await this.changed.passwordReset(tx, taken.uid, passwordHash);
      }),
    );
    await this.throttle.logins.passwordWasSet(owner.uid, owner.email, ip);
    return { uid: owner.uid };
  }

  /**
   * Returns the same job for all requests within five minutes. The job runs at the end of the five minutes, even if
   * more requests arrive.
   */
  private later(uid: string): PasswordForgotten {
    const runAt = new Date((Math.floor(this.clock.now().getTime() / mailEveryMs) + 1) * mailEveryMs);
    return new PasswordForgotten({ uid }, runAt, `${uid}:${runAt.getTime()}`);
  }

  private async findOwner(code: string): Promise<{ uid: string; email: string }> {
    const found = await this.codes.find('password', userCodeHash(code), this.clock.now());
    const owner = found && (await this.users.find(found.uid));
    if (!owner) throw new CodeNotValid();
    return owner;
  }
}
