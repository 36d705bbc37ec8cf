import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { Clock, RateLimited, Unauthorized } from '@passwright/core';
import { DataSource } from 'typeorm';
import { AccountsOptions } from '../accounts.options.js';
import { Attempts } from '../attempts/attempts.js';
import type { ProvenIdentity } from './identity-provider.service.js';
import { OidcOptions } from './oidc.options.js';
import { EncryptedCookie, SIGN_IN_SECONDS } from './encrypted-cookie.js';
import { isSame, random, type SignInWish } from './sign-in-attempts.service.js';

/** A lasting change that a sign-in would make in addition to opening a session. */
export interface SignInChange {
  /** The verified e-mail of the identity, or that of the linked user. */
  readonly email: string;
  /** The account that the user joins through an invitation; null for none. */
  readonly joins: { readonly accountName: string; readonly isAdmin: boolean } | null;
  /**
   * `existing`: the sign-in links the identity to an existing user, who loses the password and all sessions. `new`: the
   * sign-in creates a user. Null: the identity is already linked.
   */
  readonly links: 'existing' | 'new' | null;
  /** True if the new user gets an account of their own. */
  readonly founds: boolean;
}

/** A sign-in that waits for the person's consent. */
export interface PendingConsent {
  readonly identity: ProvenIdentity;
  readonly wish: SignInWish;
  readonly change: SignInChange;
  /** A value in the page's form that other sites do not know. */
  readonly token: string;
}

/** Thrown to stop a sign-in if the person has not agreed to a change that it would make. */
export class ConsentNeeded extends Error {
  constructor(readonly change: SignInChange) {
    super('The person has not agreed to what this sign-in changes');
  }
}

/** @throws ConsentNeeded unless the person has agreed to exactly this change */
export function requireConsent(change: SignInChange, agreed: SignInChange | null): void {
  if (!isDeepStrictEqual(agreed, change)) throw new ConsentNeeded(change);
}

/** Keeps pending sign-ins in the browser until the person agrees. Accepts each state and token only once. */
@Injectable()
export class SignInConsents {
  private readonly cookie: EncryptedCookie<PendingConsent>;
  private readonly uses: Attempts;

  constructor({ baseUrl }: OidcOptions, { accessTokenSecret }: AccountsOptions, dataSource: DataSource, clock: Clock) {
    this.cookie = new EncryptedCookie({ baseUrl, accessTokenSecret }, 'passwright-consent', 'oidc-consent', clock);
    const once = { attempts: 1, seconds: SIGN_IN_SECONDS };
    this.uses = new Attempts(dataSource, clock, 'oidc-used', once, 'This sign-in was completed before');
  }

  begin(identity: ProvenIdentity, { accountId, invite, returnTo }: SignInWish, change: SignInChange): PendingConsent {
    return { identity, wish: { accountId, invite, returnTo }, change, token: random() };
  }

  /** Returns the `Set-Cookie` header that keeps a pending sign-in for ten minutes. */
  cookieOf(pending: PendingConsent): string {
    return this.cookie.keep(pending);
  }

  /** Returns the `Set-Cookie` header that deletes a pending sign-in. */
  get noCookie(): string {
    return this.cookie.end;
  }

  /**
   * Returns the pending sign-in of a browser. @throws Unauthorized unless this browser was shown the consent form
   * within the last ten minutes
   */
  resume(cookies: string | undefined, token: string | null): PendingConsent {
    const pending = this.cookie.open(cookies);
    if (pending && token !== null && isSame(pending.token, token)) return pending;
    throw new Unauthorized(
      'This sign-in was not begun in this browser, or it took longer than ten minutes; begin again: GET /v1/auth/oidc/start.',
    );
  }

  /**
   * Marks a state or token as used, for all nodes, so that a copied cookie cannot complete a sign-in twice. @throws
   * Unauthorized
   */
  async use(secret: string): Promise<void> {
    try {
      await this.uses.count(createHash('sha256').update(secret).digest('base64url'));
    } catch (error) {
      if (!(error instanceof RateLimited)) throw error;
      throw new Unauthorized('This sign-in was completed before; begin again: GET /v1/auth/oidc/start.');
    }
  }
}
