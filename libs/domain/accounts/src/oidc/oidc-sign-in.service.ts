import { Injectable } from '@nestjs/common';
import { AppError } from '@passwright/core';
import type { TokensResponse } from '../auth/auth.dto.js';
import { InvitationReader } from '../invites/invitation-reader.service.js';
import { IdentitiesService } from './identities.service.js';
import type { PageResponse } from '../pages/page-response.js';
import { consentPage } from './consent-page.js';
import { IdentityProvider, type ProvenIdentity } from './identity-provider.service.js';
import { OidcOptions } from './oidc.options.js';
import type { SignInQuery } from './oidc.dto.js';
import { returnAddress } from './return-address.js';
import { SignInAttempts, type SignInAttempt, type SignInWish } from './sign-in-attempts.service.js';
import { ConsentNeeded, SignInConsents, type PendingConsent, type SignInChange } from './sign-in-consents.service.js';
import { signedInPage } from './signed-in-page.js';
import { SignInTokens, type Entrance } from './sign-in-tokens.service.js';

/** Starts, resumes and completes sign-ins through the identity provider. */
@Injectable()
export class OidcSignInService {
  constructor(
    private readonly provider: IdentityProvider,
    private readonly attempts: SignInAttempts,
    private readonly identities: IdentitiesService,
    private readonly tokens: SignInTokens,
    private readonly invites: InvitationReader,
    private readonly consents: SignInConsents,
    private readonly options: OidcOptions,
  ) {}

  /**
   * Returns the URL at the provider and the cookie of the attempt.
   * @throws OidcIsOff, ValidationFailed, IdentityProviderUnavailable
   */
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

  /**
   * Returns the attempt of a browser that returns from the provider. @throws OidcIsOff. @throws Unauthorized if the
   * browser has not started this attempt
   */
  resume(search: URLSearchParams, cookies: string | undefined): { attempt: SignInAttempt; noCookie: string } {
    this.provider.requireOn();
    return { attempt: this.attempts.resume(cookies, search.get('state')), noCookie: this.attempts.noCookie };
  }

  /**
   * Completes a sign-in.
   * @throws Unauthorized, Forbidden, InviteNotFound, InviteExpired, LimitExceeded, IdentityProviderUnavailable, but
   * only if the attempt has no `returnTo`
   */
  complete(search: URLSearchParams, attempt: SignInAttempt, { ip, isPerson }: Caller): Promise<SignInOutcome> {
    return this.handOver(attempt, isPerson, async (open) => {
      const identity = await this.provider.redeem(search, attempt);
      return this.signIn({ identity, wish: attempt, change: null, once: attempt.state }, ip, open);
    });
  }

  /**
   * Returns the browser's sign-in that waits for consent. @throws OidcIsOff. @throws Unauthorized unless this browser
   * was shown the consent form with this token
   */
  resumeConsent(token: string | null, cookies: string | undefined): { pending: PendingConsent; noCookie: string } {
    this.provider.requireOn();
    return { pending: this.consents.resume(cookies, token), noCookie: this.consents.noCookie };
  }

  /** Signs in after the person has agreed. @throws the same errors as `complete` */
  confirm({ token, ...pending }: PendingConsent, { ip, isPerson }: Caller): Promise<SignInOutcome> {
    return this.handOver(pending.wish, isPerson, (open) => this.signIn({ ...pending, once: token }, ip, open));
  }

  /**
   * Exchanges a sign-in code for tokens.
   * @throws OidcIsOff.
   * @throws Unauthorized.
   * @throws RateLimited for an invalid code if the IP address has sent too many invalid ones
   */
  async redeem(code: string, ip: string | undefined): Promise<TokensResponse> {
    this.provider.requireOn();
    return this.tokens.redeem(code, ip);
  }

  private async handOver(
    { returnTo, invite }: SignInWish,
    isPerson: boolean,
    come: <T>(then: Entrance<T>) => Promise<Entered<T>>,
  ): Promise<SignInOutcome> {
    const outcome = async <T>(then: Entrance<T>, show: (entered: T) => SignInOutcome) => {
      const result = await come(then);
      return 'pending' in result ? this.askFor(result.pending) : show(result.entered);
    };
    if (returnTo === null && isPerson) {
      const isInvited = invite !== null;
      return outcome(this.tokens.identify, () => ({ page: signedInPage(this.options, { isInvited }) }));
    }
    if (returnTo === null) return outcome(this.tokens.open, (session) => this.tokens.of(session));
    const goOn = (fragment: Record<string, string>) => ({
      address: `${returnTo}#${new URLSearchParams(fragment).toString()}`,
    });
    try {
      return await outcome(this.tokens.issueCode, goOn);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      const { code, message } = error;
      return goOn({ error: code, message });
    }
  }

  private async signIn<T>(
    { identity, wish, change, once }: Arrival,
    ip: string | undefined,
    then: Entrance<T>,
  ): Promise<Entered<T>> {
    const invite = wish.invite === null ? null : await this.invites.find(wish.invite, ip);
    const aim = { accountId: wish.accountId, invite, agreed: change };
    await this.consents.use(once);
    try {
      const signIn = (entrance: Entrance<T>) => this.identities.signIn(identity, aim, entrance);
      return { entered: await this.tokens.noting(ip, then, signIn) };
    } catch (error) {
      if (!(error instanceof ConsentNeeded)) throw error;
      return { pending: this.consents.begin(identity, wish, error.change) };
    }
  }

  private askFor(pending: PendingConsent): SignInOutcome {
    return { page: consentPage(pending, this.options.baseUrl), cookie: this.consents.cookieOf(pending) };
  }
}

/** The sender of a request that completes a sign-in. */
export interface Caller {
  readonly ip: string | undefined;
  /** True for a browser: a sign-in without `returnTo` then ends in a page instead of tokens. */
  readonly isPerson: boolean;
}

/**
 * The result of a sign-in: tokens, the URL of the next page, or a page that asks for consent or confirms the sign-in.
 */
export type SignInOutcome =
  TokensResponse | { readonly address: string } | { readonly page: PageResponse; readonly cookie?: string };

/** The result of an entrance, or the consent that a person must give first. */
type Entered<T> = { readonly entered: T } | { readonly pending: PendingConsent };

/** A proven identity, the options of its sign-in, and the value that makes the sign-in single-use. */
interface Arrival {
  readonly identity: ProvenIdentity;
  readonly wish: SignInWish;
  /** The changes that the person has agreed to. */
  readonly change: SignInChange | null;
  readonly once: string;
}
