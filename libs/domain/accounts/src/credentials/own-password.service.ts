import { Injectable } from '@nestjs/common';
import { LoginThrottle } from '../attempts/login-throttle.service.js';
import { Passwords } from './passwords.service.js';
import { PasswordWrong } from './credentials.errors.js';
import { UserCredentialsRepository, type UserCredentials } from '../users/user-credentials.repository.js';

/** Has a user who is signed in prove once more who they are. */
@Injectable()
export class OwnPassword {
  constructor(
    private readonly users: UserCredentialsRepository,
    private readonly passwords: Passwords,
    private readonly logins: LoginThrottle,
  ) {}

  /**
   * Counted like a login: a session that was left open is no way to guess the password.
   * @param property what the request calls the password. @throws PasswordWrong. @throws RateLimited
   */
  async check(uid: string, password: string, property: string, ip: string | undefined): Promise<UserCredentials> {
    const { email } = await this.users.get(uid);
    const user = await this.logins.attempt(email, ip, () => this.passwords.check(password, () => this.users.get(uid)));
    if (!user) throw new PasswordWrong(property);
    return user;
  }
}
