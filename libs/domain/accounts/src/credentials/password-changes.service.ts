import { Injectable } from '@nestjs/common';
import type { Principal } from '@passwright/core';
import { Database } from '@passwright/database';
import { Passwords } from './passwords.service.js';
import { ChangedCredentials } from './changed-credentials.service.js';
import { PasswordWrong } from './credentials.errors.js';
import { OwnPassword } from './own-password.service.js';
import { UserCredentialsRepository } from '../users/user-credentials.repository.js';

/** Changes the passwords of signed-in users. */
@Injectable()
export class PasswordChangesService {
  constructor(
    private readonly database: Database,
    private readonly users: UserCredentialsRepository,
    private readonly passwords: Passwords,
    private readonly ownPassword: OwnPassword,
    private readonly changed: ChangedCredentials,
  ) {}

  /**
   * Changes the password and ends the user's other sessions.
   * @param ip the caller's IP address, by which attempts are counted.
   * @throws PasswordWrong.
   * @throws RateLimited
   */
  async change(caller: Principal, current: string, next: string, ip: string | undefined): Promise<void> {
    const { passwordHash: checked } = await this.ownPassword.check(caller.id, current, 'currentPassword', ip);
    const passwordHash = await this.passwords.hash(next);
    await this.database.transaction(async (tx) => {
      const { passwordHash: present } = await this.users.lock(tx, caller.id);
      // Reject the given password, which has changed since the check.
      if (present !== checked) throw new PasswordWrong('currentPassword');
      await this.users.setPassword(tx, caller.id, passwordHash);
      await this.changed.passwordChanged(tx, caller);
    });
  }
}
