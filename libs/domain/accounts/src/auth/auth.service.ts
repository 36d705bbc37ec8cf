import { Injectable } from '@nestjs/common';
import { Forbidden, Unauthorized, type Principal } from '@passwright/core';
import { Database } from '@passwright/database';
import { SelfServiceOptions } from '../self-service.options.js';
import { AccountsService } from '../accounts/accounts.service.js';
import { SessionsService, type OpenSession } from '../sessions/sessions.service.js';
import { type LoginRecord, UsersRepository } from '../users/users.repository.js';
import { AccessTokens } from './access-tokens.service.js';
import type { LoginRequest, RegisterRequest, TokensResponse } from './auth.dto.js';
import { CredentialThrottle } from '../attempts/credential-throttle.service.js';
import { Passwords } from '../credentials/passwords.service.js';

/**
 * Registers users, logs them in and out, and refreshes and switches their sessions. `ip` is the caller's IP address, by
 * which attempts are counted.
 */
@Injectable()
export class AuthService {
  constructor(
    private readonly options: SelfServiceOptions,
    private readonly database: Database,
    private readonly accounts: AccountsService,
    private readonly users: UsersRepository,
    private readonly sessions: SessionsService,
    private readonly accessTokens: AccessTokens,
    private readonly passwords: Passwords,
    private readonly throttle: CredentialThrottle,
  ) {}

  /**
   * Creates a user and an account with the user as its admin. @throws Forbidden. @throws EmailTaken. @throws
   * RateLimited
   */
  async register(request: RegisterRequest, ip: string | undefined): Promise<TokensResponse> {
    if (this.options.registration !== 'open') {
      throw new Forbidden('Registration is closed on this service; ask who runs it for an account.');
    }
    const session = await this.throttle.countRegistration(ip, async () => {
      const passwordHash = await this.passwords.hash(request.password);
      return this.createUserWithAccount(request, passwordHash);
    });
    await this.throttle.logins.cameIn(session.uid, request.email, ip);
    return this.tokensOf(session);
  }

  /**
   * Logs a user in. Every failed login takes the same time and gets the same response, even for an unknown e-mail.
   * @throws Unauthorized. @throws RateLimited
   */
  async login({ email, password, accountId = null }: LoginRequest, ip: string | undefined): Promise<TokensResponse> {
    const session = await this.throttle.logins.attempt(email, ip, async () => {
      const login = await this.passwords.check(password, () => this.users.findLogin(email, accountId));
      return login && this.openSessionOf(login);
    });
    if (!session) {
      throw new Unauthorized('The e-mail or the password is wrong, or the user is not in the account asked for.');
    }
    return this.tokensOf(session);
  }

  /**
   * Exchanges a refresh token for new tokens.
   * @throws Unauthorized.
   * @throws RateLimited for an invalid token if the IP address has sent too many invalid ones
   */
  async refresh(refreshToken: string, ip: string | undefined): Promise<TokensResponse> {
    return this.tokensOf(await this.throttle.countIfBad(ip, () => this.sessions.rotate(refreshToken)));
  }

  logout(refreshToken: string): Promise<void> {
    return this.sessions.revoke(refreshToken);
  }

  /**
   * Opens a new session in another account. @throws Forbidden if the user is not a member or the account does not
   * exist. @throws Unauthorized
   */
  async switchAccount(caller: Principal, accountId: string): Promise<TokensResponse> {
    const role = await this.accounts.roleOf(caller.id, accountId);
    if (!role) throw new Forbidden(`You are not a member of an account "${accountId}".`);
    return this.tokensOf(await this.database.transaction((tx) => this.sessions.openFor(tx, caller, accountId)));
  }

  private createUserWithAccount(request: RegisterRequest, passwordHash: string): Promise<OpenSession> {
    const { email, name, accountName } = request;
    return this.database.transaction(async (tx) => {
      const { uid } = await this.users.insert(tx, { email, name, passwordHash });
      const { id: accountId } = await this.accounts.create(tx, { name: accountName, founder: uid });
      await this.accounts.addMember(tx, accountId, uid, { isAdmin: true });
      return this.sessions.open(tx, accountId, uid);
    });
  }

  /**
   * Opens a session after a password check. Returns null if the password has changed since the check, or if the user
   * has no account.
   */
  private openSessionOf(login: LoginRecord): Promise<OpenSession | null> {
    const { accountId, uid } = login;
    return this.database.transaction(async (tx) =>
      accountId !== null && (await this.users.holdPassword(tx, login)) ? this.sessions.open(tx, accountId, uid) : null,
    );
  }

  /** Returns the response for a session that has just been opened. */
  tokensOf(session: OpenSession): TokensResponse {
    return {
      accessToken: this.accessTokens.issue(session),
      refreshToken: session.refreshToken,
      tokenType: 'Bearer',
      expiresIn: this.accessTokens.ttlSeconds,
      accountId: session.accountId,
    };
  }
}
