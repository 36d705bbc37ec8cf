import { Injectable } from '@nestjs/common';
import { AppError } from '@passwright/core';
import { Database } from '@passwright/database';
import type { TokensResponse } from '../auth/auth.dto.js';
import { AuthService } from '../auth/auth.service.js';
import { CredentialThrottle } from '../auth/credential-throttle.js';
import { SessionsService } from '../sessions/sessions.service.js';
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
    private readonly database: Database,
  ) {}

  /** Where the browser goes, and the cookie it takes along. @throws OidcIsOff, ValidationFailed, IdentityProviderUnavailable */
  async begin({ accountId = null, returnTo = null }: SignInQuery): Promise<{ address: string; cookie: string }> {
    const allowed = this.provider.settings.returnUrls;
    const attempt = this.attempts.begin({ accountId, returnTo: returnTo && returnAddress(returnTo, allowed) });
    return { address: await this.provider.addressFor(attempt), cookie: this.attempts.cookieOf(attempt) };
  }

  /** The attempt that a browser comes back with. @throws OidcIsOff. @throws Unauthorized where it has begun none, or another */
  resume(search: URLSearchParams, cookies: string | undefined): { attempt: SignInAttempt; noCookie: string } {
    this.provider.requireOn();
    return { attempt: this.attempts.resume(cookies, search.get('state')), noCookie: this.attempts.noCookie };
  }

  /**
   * Signs in. @returns the tokens, or where the browser goes on: with a code, or with what went wrong
   * @throws Unauthorized, Forbidden, IdentityProviderUnavailable: where the attempt names no address to go on to
   */
  async complete(search: URLSearchParams, attempt: SignInAttempt): Promise<TokensResponse | { address: string }> {
    const { returnTo } = attempt;
    if (returnTo === null) return this.tokensFor(await this.signIn(search, attempt));
    try {
      const code = await this.codes.issue(await this.signIn(search, attempt));
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
    return this.tokensFor(await this.throttle.countIfBad(ip, () => this.codes.redeem(code)));
  }

  private async signIn(search: URLSearchParams, attempt: SignInAttempt): Promise<SignedIn> {
    return this.identities.signIn(await this.provider.redeem(search, attempt), attempt.accountId);
  }

  private async tokensFor({ uid, accountId }: SignedIn): Promise<TokensResponse> {
    return this.auth.tokensOf(await this.database.transaction((tx) => this.sessions.open(tx, accountId, uid)));
  }
}
