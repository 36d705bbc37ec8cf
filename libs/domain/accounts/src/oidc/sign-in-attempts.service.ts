import { randomBytes, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock, Unauthorized } from '@passwright/core';
import { AccountsOptions } from '../accounts.options.js';
import { OidcOptions } from './oidc.options.js';
import { EncryptedCookie } from './encrypted-cookie.js';

/** The options of a sign-in that its caller chooses. */
export interface SignInWish {
  /** The account to act on; null for the account that the user joined first. */
  readonly accountId: string | null;
  /** The code of the invitation to accept; null for none. */
  readonly invite: string | null;
  /**
   * The URL to return to, one of the operator's allowed URLs. If null, the response to the callback contains the
   * tokens.
   */
  readonly returnTo: string | null;
}

/** A sign-in in progress. The browser keeps it until the provider sends the browser back. */
export interface SignInAttempt extends SignInWish {
  /** A value that proves that the same browser began the sign-in (RFC 6749 §10.12). */
  readonly state: string;
  /** A value that proves that the ID token belongs to this attempt (OpenID Connect Core §3.1.2.1). */
  readonly nonce: string;
  /** A value that proves that the code belongs to this attempt (RFC 7636). */
  readonly codeVerifier: string;
}

/** Keeps a sign-in attempt in an encrypted cookie of the browser. A new attempt replaces the previous one. */
@Injectable()
export class SignInAttempts {
  private readonly cookie: EncryptedCookie<SignInAttempt>;

  constructor({ baseUrl }: OidcOptions, { accessTokenSecret }: AccountsOptions, clock: Clock) {
    this.cookie = new EncryptedCookie({ baseUrl, accessTokenSecret }, 'passwright-sign-in', 'oidc-sign-in', clock);
  }

  begin(wish: SignInWish): SignInAttempt {
    return { ...wish, state: random(), nonce: random(), codeVerifier: random() };
  }

  /** Returns the `Set-Cookie` header that keeps an attempt for ten minutes. */
  cookieOf(attempt: SignInAttempt): string {
    return this.cookie.keep(attempt);
  }

  /** Returns the `Set-Cookie` header that deletes the attempt. */
  get noCookie(): string {
    return this.cookie.end;
  }

  /**
   * Returns the attempt of a browser that returns from the provider.
   * @param cookies the `Cookie` header.
   * @param state the value from the callback
   * @throws Unauthorized if the browser did not begin this attempt within the last ten minutes
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

/** Returns 256 random bits. */
export function random(): string {
  return randomBytes(32).toString('base64url');
}

/** Compares in constant time. */
export function isSame(ours: string, theirs: string): boolean {
  const [one, other] = [Buffer.from(ours), Buffer.from(theirs)];
  return one.length === other.length && timingSafeEqual(one, other);
}
