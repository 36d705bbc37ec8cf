import { Injectable } from '@nestjs/common';
import { Clock, Forbidden, ValidationFailed, type Principal } from '@passwright/core';
import { OwnPassword } from '../credentials/own-password.service.js';
import { UserCredentialsRepository } from '../users/user-credentials.repository.js';
import { SessionsRepository } from '../sessions/sessions.repository.js';

/** The maximum age of the session of a user without a password. */
const freshSessionMs = 15 * 60_000;

/** Checks that the caller who requests a deletion is the user, and not a stranger at an open session. */
@Injectable()
export class DeletionProof {
  constructor(
    private readonly users: UserCredentialsRepository,
    private readonly ownPassword: OwnPassword,
    private readonly sessions: SessionsRepository,
    private readonly clock: Clock,
  ) {}

  /**
   * Requires the password or, if the user has no password, a fresh session.
   * @throws Forbidden, ValidationFailed, PasswordWrong, RateLimited
   */
  async require(caller: Principal, password: string | null, ip: string | undefined): Promise<void> {
    const { passwordHash } = await this.users.get(caller.id);
    if (passwordHash !== null) {
      if (password === null) throw new ValidationFailed('password must be given: it proves that it is you');
      await this.ownPassword.check(caller.id, password, 'password', ip);
      return;
    }
    const key = { accountId: caller.accountId, sessionId: caller.sessionId ?? '' };
    const createdAt = await this.sessions.findCreatedAt(key);
    if (createdAt && this.clock.now().getTime() - createdAt.getTime() <= freshSessionMs) return;
    throw new Forbidden('You have no password, so sign in again through your identity provider and repeat this.');
  }
}
