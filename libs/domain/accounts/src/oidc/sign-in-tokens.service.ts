import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { TokensResponse } from '../auth/auth.dto.js';
import { AuthService } from '../auth/auth.service.js';
import { CredentialThrottle } from '../attempts/credential-throttle.service.js';
import { UserCredentialsRepository } from '../users/user-credentials.repository.js';
import { SessionsService, type OpenSession } from '../sessions/sessions.service.js';
import { SignInCodes, type SignedIn } from './sign-in-codes.service.js';

/** A step that opens the session or issues the code, in the same transaction that has identified the user. */
export type Entrance<T> = (tx: EntityManager, signedIn: SignedIn) => Promise<T>;

/** Opens the session of a signed-in user and issues its tokens, directly or in exchange for a code. */
@Injectable()
export class SignInTokens {
  constructor(
    private readonly codes: SignInCodes,
    private readonly auth: AuthService,
    private readonly sessions: SessionsService,
    private readonly throttle: CredentialThrottle,
    private readonly users: UserCredentialsRepository,
  ) {}

  readonly open: Entrance<OpenSession> = (tx, { uid, accountId }) => this.sessions.open(tx, accountId, uid);

  /** Only identifies the user, without opening a session or issuing a code. */
  readonly identify: Entrance<object> = () => Promise.resolve({});

  /** Issues a code that another page exchanges for the tokens. */
  readonly issueCode: Entrance<{ readonly code: string }> = async (tx, signedIn) => ({
    code: await this.codes.issue(tx, signedIn),
  });

  /** Runs a sign-in and remembers the IP address from which the user signed in. */
  async noting<T>(
    ip: string | undefined,
    then: Entrance<T>,
    signIn: (entrance: Entrance<T>) => Promise<T>,
  ): Promise<T> {
    let admitted: SignedIn | null = null as SignedIn | null;
    const result = await signIn((tx, signedIn) => {
      admitted = signedIn;
      return then(tx, signedIn);
    });
    const user = admitted && (await this.users.find(admitted.uid));
    if (user) await this.throttle.logins.cameIn(user.uid, user.email, ip);
    return result;
  }

  of(session: OpenSession): TokensResponse {
    return this.auth.tokensOf(session);
  }

  /**
   * Exchanges a sign-in code for tokens.
   * @throws Unauthorized.
   * @throws RateLimited for an invalid code if the IP address has sent too many invalid ones
   */
  async redeem(code: string, ip: string | undefined): Promise<TokensResponse> {
    return this.of(await this.throttle.countIfBad(ip, () => this.codes.redeem(code, this.open)));
  }
}
