import { Injectable } from '@nestjs/common';
import { LoginThrottle } from '../attempts/login-throttle.service.js';
import { Passwords } from './passwords.service.js';
import { PasswordWrong } from './credentials.errors.js';
import { UserCredentialsRepository, type UserCredentials } from '../users/user-credentials.repository.js';

/** Asks a signed-in user for their password again. */
@Injectable()
export class OwnPassword {
  constructor(
    private readonly users: UserCredentialsRepository,
    private readonly passwords: Passwords,
    private readonly logins: LoginThrottle,
  ) {}

  /**
   * Checks the password. Failures count like failed logins, so that an open session cannot be used to guess the
   * password.
   * @param property the name of the password in the request. @throws PasswordWrong. @throws RateLimited
   */
  async check(uid: string, password: string, property: string, ip: string | undefined): Promise<UserCredentials> {
    const { email } = await this.users.get(uid);
    const user = await this.logins.attempt(email, ip, () => this.passwords.check(password, () => this.users.get(uid)));
    if (!user) throw new PasswordWrong(property);
    return user;
  }
}
