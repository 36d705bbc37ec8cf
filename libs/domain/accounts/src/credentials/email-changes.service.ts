import { Injectable } from '@nestjs/common';
import { Clock, type Principal } from '@passwright/core';
import { Database } from '@passwright/database';
import { Jobs } from '@passwright/jobs';
import { CredentialThrottle } from '../attempts/credential-throttle.service.js';
import { ChangedCredentials } from './changed-credentials.service.js';
import { CodeNotValid, PasswordWrong } from './credentials.errors.js';
import { EmailChangeAsked } from './credentials.jobs.js';
import { OwnPassword } from './own-password.service.js';
import { EMAIL_CODE_MS, newUserCode, userCodeHash } from './user-codes.js';
import { UserCodesRepository } from './user-codes.repository.js';
import { UserCredentialsRepository } from '../users/user-credentials.repository.js';

/** Changes a user's e-mail address once the user has proved that they can read its mailbox. */
@Injectable()
export class EmailChangesService {
  constructor(
    private readonly database: Database,
    private readonly users: UserCredentialsRepository,
    private readonly codes: UserCodesRepository,
    private readonly ownPassword: OwnPassword,
    private readonly throttle: CredentialThrottle,
    private readonly changed: ChangedCredentials,
    private readonly jobs: Jobs,
    private readonly clock: Clock,
  ) {}

  /**
   * Requests a change of the e-mail address. The response is the same if another user has it.
   * @throws PasswordWrong.
   * @throws RateLimited
   */
  async ask({ id: uid }: Principal, email: string, password: string, ip: string | undefined): Promise<void> {
    const { passwordHash: checked } = await this.ownPassword.check(uid, password, 'password', ip);
    await this.throttle.countEmailChange(uid);
    const now = this.clock.now();
    const expiresAt = new Date(now.getTime() + EMAIL_CODE_MS);
    // Store a code that is never sent. The job replaces it with the code that the mail contains.
    const codeHash = userCodeHash(newUserCode());
    await this.database.transaction(async (tx) => {
      const { passwordHash: present } = await this.users.lock(tx, uid);
      // Create no code after the password has changed, because the change has ended all codes.
      if (present !== checked) throw new PasswordWrong('password');
      await this.codes.put(tx, { uid, purpose: 'email', codeHash, email, accountId: null, expiresAt, createdAt: now });
      await this.jobs.add(tx, new EmailChangeAsked({ uid }));
    });
  }

  /**
   * Returns the e-mail address that the code confirms, without using the code.
   * @throws CodeNotValid.
   * @throws RateLimited
   */
  addressOf(code: string, ip: string | undefined): Promise<{ uid: string; email: string }> {
    return this.throttle.countIfBad(ip, async () => {
      const found = await this.codes.find('email', userCodeHash(code), this.clock.now());
      if (!found?.email) throw new CodeNotValid();
      return { uid: found.uid, email: found.email };
    });
  }

  /** Confirms the new e-mail. Each code works once. @throws CodeNotValid. @throws EmailTaken. @throws RateLimited */
  async confirm(code: string, ip: string | undefined): Promise<{ uid: string; email: string }> {
    const { uid } = await this.addressOf(code, ip);
    return this.throttle.countIfBad(ip, () =>
      this.database.transaction(async (tx) => {
        const user = await this.users.lockIfThere(tx, uid);
        const taken = user && (await this.codes.take(tx, 'email', userCodeHash(code), this.clock.now()));
        if (!user || !taken?.email) throw new CodeNotValid();
        await this.changed.changeEmail(tx, user, taken.email);
        return { uid, email: taken.email };
      }),
    );
  }
}
