import { Injectable } from '@nestjs/common';
import { AppError } from '@passwright/core';
import type { EntityManager } from 'typeorm';
import type { TokensResponse } from '../auth/auth.dto.js';
import { AuthService } from '../auth/auth.service.js';
import { CredentialThrottle } from '../auth/credential-throttle.js';
import { InvitationReader } from '../invites/invitation-reader.js';
import { SessionsService, type OpenSession } from '../sessions/sessions.service.js';
import { IdentitiesService } from './identities.service.js';
import { IdentityProvider } from './identity-provider.js';
import type { SignInQuery } from './oidc.dto.js';
import { returnAddress } from './return-address.js';
import { SignInAttempts, type SignInAttempt } from './sign-in-attempt.js';
import { SignInCodes, type SignedIn } from './sign-in-codes.js';

/** How a sign-in by the identity provider begins and ends. */
@Injectable()
export class OidcSignInService {
  constructor(
    private readonly provider: IdentityProvider,
    private readonly attempts: SignInAttempts,
    private readonly identities: IdentitiesService,
    private readonly codes: SignInCodes,
    private readonly auth: AuthService,
    private readonly sessions: SessionsService,
    private readonly throttle: CredentialThrottle,
    private readonly invites: InvitationReader,
  ) {}

  /** Where the browser goes, and the cookie it takes along. @throws OidcIsOff, ValidationFailed, IdentityProviderUnavailable */
  async begin({
    accountId = null,
    returnTo = null,
    invite = null,
  }: SignInQuery): Promise<{ address: string; cookie: string }> {
    const allowed = this.provider.settings.returnUrls;
    const wish = { accountId, invite, returnTo: returnTo && returnAddress(returnTo, allowed) };
    const attempt = this.attempts.begin(wish);
    return { address: await this.provider.addressFor(attempt), cookie: this.attempts.cookieOf(attempt) };
  }

  /** The attempt that a browser comes back with. @throws OidcIsOff. @throws Unauthorized where it has begun none, or another */
  resume(search: URLSearchParams, cookies: string | undefined): { attempt: SignInAttempt; noCookie: string } {
    this.provider.requireOn();
    return { attempt: this.attempts.resume(cookies, search.get('state')), noCookie: this.attempts.noCookie };
  }

  /**
   * Signs in. @returns the tokens, or where the browser goes on: with a code, or with what went wrong
   * @throws Unauthorized, Forbidden, InviteNotFound, InviteExpired, LimitExceeded, IdentityProviderUnavailable: where the attempt
   * names no address to go on to
   */
  async complete(
    search: URLSearchParams,
    attempt: SignInAttempt,
    ip: string | undefined,
  ): Promise<TokensResponse | { address: string }> {
    const { returnTo } = attempt;
    const come = <T>(then: Entrance<T>) => this.signIn(search, attempt, ip, then);
    if (returnTo === null) return this.auth.tokensOf(await come(this.open));
    try {
      const code = await come((tx, signedIn) => this.codes.issue(tx, signedIn));
      return { address: `${returnTo}#${new URLSearchParams({ code }).toString()}` };
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      const { code, message } = error;
      return { address: `${returnTo}#${new URLSearchParams({ error: code, message }).toString()}` };
    }
  }

  /** @throws OidcIsOff. @throws Unauthorized. @throws RateLimited for a bad code after too many from this address */
  async redeem(code: string, ip: string | undefined): Promise<TokensResponse> {
    this.provider.requireOn();
    return this.auth.tokensOf(await this.throttle.countIfBad(ip, () => this.codes.redeem(code, this.open)));
  }

  private async signIn<T>(
    search: URLSearchParams,
    attempt: SignInAttempt,
    ip: string | undefined,
    then: Entrance<T>,
  ): Promise<T> {
    const identity = await this.provider.redeem(search, attempt);
    const invite = attempt.invite === null ? null : await this.invites.find(attempt.invite, ip);
    return this.identities.signIn(identity, { accountId: attempt.accountId, invite }, then);
  }

  private readonly open: Entrance<OpenSession> = (tx, { uid, accountId }) => this.sessions.open(tx, accountId, uid);
}

/** What lets somebody in. */
type Entrance<T> = (tx: EntityManager, signedIn: SignedIn) => Promise<T>;
