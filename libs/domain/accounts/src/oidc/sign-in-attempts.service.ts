import { randomBytes, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock, Unauthorized } from '@passwright/core';
import { AccountsOptions } from '../accounts.options.js';
import { OidcOptions } from './oidc.options.js';
import { SealedCookie } from './sealed-cookie.js';

/** What is wished for by who begins to sign in. */
export interface SignInWish {
  /** The account to act on; null for the one the user has been in longest. */
  readonly accountId: string | null;
  /** The code of the invitation to accept; null for none. */
  readonly invite: string | null;
  /** Where to hand over to, one of those allowed; null: the tokens are answered themselves. */
  readonly returnTo: string | null;
}

/** A sign-in that has begun, as its browser keeps it until it comes back from the provider. */
export interface SignInAttempt extends SignInWish {
  /** RFC 6749 §10.12: only the browser that has begun can end it. */
  readonly state: string;
  /** OpenID Connect Core §3.1.2.1: the ID token is for this attempt. */
  readonly nonce: string;
  /** RFC 7636: the code is for this attempt. */
  readonly codeVerifier: string;
}

/** Attempts in a sealed cookie. A browser has one attempt at a time, the latest. */
@Injectable()
export class SignInAttempts {
  private readonly cookie: SealedCookie<SignInAttempt>;

  constructor({ baseUrl }: OidcOptions, { accessTokenSecret }: AccountsOptions, clock: Clock) {
    this.cookie = new SealedCookie({ baseUrl, accessTokenSecret }, 'passwright-sign-in', 'oidc-sign-in', clock);
  }

  begin(wish: SignInWish): SignInAttempt {
    return { ...wish, state: random(), nonce: random(), codeVerifier: random() };
  }

  /** The `Set-Cookie` that keeps an attempt for ten minutes. */
  cookieOf(attempt: SignInAttempt): string {
    return this.cookie.keep(attempt);
  }

  /** The `Set-Cookie` that ends it. */
  get noCookie(): string {
    return this.cookie.end;
  }

  /**
   * The attempt of the browser that comes back.
   * @param cookies the `Cookie` header. @param state as it has come back
   * @throws Unauthorized where it has begun none, another one, or more than ten minutes ago
   */
  resume(cookies: string | undefined, state: string | null): SignInAttempt {
    const attempt = this.cookie.open(cookies);
    if (!attempt || state === null || !isSame(attempt.state, state)) {
      throw new Unauthorized(
        'This sign-in was not begun in this browser, another has begun since, or it took longer than ten minutes; ' +
          'begin again: GET /v1/auth/oidc/start.',
      );
    }
    return attempt;
  }
}

/** 256 random bits. */
export function random(): string {
  return randomBytes(32).toString('base64url');
}

/** Compares in a time that tells nothing. */
export function isSame(ours: string, theirs: string): boolean {
  const [one, other] = [Buffer.from(ours), Buffer.from(theirs)];
  return one.length === other.length && timingSafeEqual(one, other);
}
