import { hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock, SecretBox, Unauthorized } from '@passwright/core';
import { AccountsOptions } from '../accounts.options.js';
import { OidcOptions } from './oidc.options.js';

const TTL_SECONDS = 600;
const context = { accountId: '', purpose: 'oidc-sign-in' };

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

/**
 * Attempts in a cookie, sealed (AES-256-GCM) under a key that all nodes derive from the secret they share: a sign-in that
 * begins on one ends on any other, and no table is needed. A browser has one attempt at a time, the latest.
 */
@Injectable()
export class SignInAttempts {
  private readonly box: SecretBox;
  private readonly secure: boolean;
  private readonly name: string;

  constructor(
    { baseUrl }: OidcOptions,
    { accessTokenSecret }: AccountsOptions,
    private readonly clock: Clock,
  ) {
    const key = new Uint8Array(hkdfSync('sha256', accessTokenSecret, '', 'passwright oidc sign-in cookie', 32));
    this.box = new SecretBox([{ id: '1', key }]);
    this.secure = baseUrl.startsWith('https:');
    // With the prefix, no neighbour below the same domain can plant one (RFC 6265bis §4.1.3.2); browsers want https for it.
    this.name = this.secure ? '__Host-passwright-sign-in' : 'passwright-sign-in';
  }

  begin(wish: SignInWish): SignInAttempt {
    return { ...wish, state: random(), nonce: random(), codeVerifier: random() };
  }

  /** The `Set-Cookie` that keeps an attempt for ten minutes. */
  cookieOf(attempt: SignInAttempt): string {
    const expiresAt = this.clock.now().getTime() + TTL_SECONDS * 1000;
    const sealed = this.box.seal(JSON.stringify({ ...attempt, expiresAt }), context);
    return this.cookie(sealed.toString('base64url'), TTL_SECONDS);
  }

  /** The `Set-Cookie` that ends it. */
  get noCookie(): string {
    return this.cookie('', 0);
  }

  /**
   * The attempt of the browser that comes back.
   * @param cookies the `Cookie` header. @param state as it has come back
   * @throws Unauthorized where it has begun none, another one, or more than ten minutes ago
   */
  resume(cookies: string | undefined, state: string | null): SignInAttempt {
    const attempt = this.open(cookieNamed(this.name, cookies));
    if (!attempt || state === null || !isSame(attempt.state, state)) {
      throw new Unauthorized(
        'This sign-in was not begun in this browser, another has begun since, or it took longer than ten minutes; ' +
          'begin again: GET /v1/auth/oidc/start.',
      );
    }
    return attempt;
  }

  private open(value: string | null): SignInAttempt | null {
    if (value === null) return null;
    try {
      const text = this.box.open(Buffer.from(value, 'base64url'), context).toString();
      const { expiresAt, ...attempt } = JSON.parse(text) as SignInAttempt & { readonly expiresAt: number };
      return expiresAt > this.clock.now().getTime() ? attempt : null;
    } catch {
      // Not sealed here: as good as none.
      return null;
    }
  }

  private cookie(value: string, seconds: number): string {
    // Lax: it comes along when the provider sends the browser back, and with nothing else from other sites.
    return `${this.name}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${this.secure ? '; Secure' : ''}`;
  }
}

function random(): string {
  return randomBytes(32).toString('base64url');
}

function isSame(ours: string, theirs: string): boolean {
  const [one, other] = [Buffer.from(ours), Buffer.from(theirs)];
  return one.length === other.length && timingSafeEqual(one, other);
}

function cookieNamed(name: string, cookies = ''): string | null {
  const pair = cookies.split(';').find((part) => part.trim().startsWith(`${name}=`));
  return pair?.trim().slice(name.length + 1) ?? null;
}
