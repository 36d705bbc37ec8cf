import { hkdfSync } from 'node:crypto';
import { SecretBox, type Clock } from '@passwright/core';

/** Validity of a sign-in cookie. */
export const SIGN_IN_SECONDS = 600;

/** The options that all cookies of one service share. */
export interface CookieOptions {
  /** Public address of the service. */
  readonly baseUrl: string;
  readonly accessTokenSecret: string;
}

/**
 * Keeps a value in the browser for ten minutes, encrypted (AES-256-GCM) with a key that all nodes share. So a sign-in
 * can begin on one node and end on another.
 */
export class EncryptedCookie<T extends object> {
  private readonly box: SecretBox;
  private readonly context: { readonly accountId: string; readonly purpose: string };
  private readonly secure: boolean;
  private readonly name: string;

  /** @param purpose the use of the cookie; a cookie for another use cannot be decrypted */
  constructor(
    { baseUrl, accessTokenSecret }: CookieOptions,
    name: string,
    purpose: string,
    private readonly clock: Clock,
  ) {
    const key = new Uint8Array(hkdfSync('sha256', accessTokenSecret, '', 'passwright oidc sign-in cookie', 32));
    this.box = new SecretBox([{ id: '1', key }]);
    this.context = { accountId: '', purpose };
    this.secure = baseUrl.startsWith('https:');
    // The prefix keeps other hosts of the same domain from setting the cookie (RFC 6265bis §4.1.3.2). It requires
    // https.
    this.name = this.secure ? `__Host-${name}` : name;
  }

  /** Returns the `Set-Cookie` header that stores a value. */
  keep(value: T): string {
    const expiresAt = this.clock.now().getTime() + SIGN_IN_SECONDS * 1000;
    const encrypted = this.box.encrypt(JSON.stringify({ value, expiresAt }), this.context);
    return this.cookie(encrypted.toString('base64url'), SIGN_IN_SECONDS);
  }

  /** Returns the `Set-Cookie` header that deletes the cookie. */
  get end(): string {
    return this.cookie('', 0);
  }

  /** Returns the value in a `Cookie` header; null for a cookie that is missing, expired or not from this service. */
  open(cookies: string | undefined): T | null {
    const encrypted = cookieNamed(this.name, cookies);
    if (encrypted === null) return null;
    try {
      const text = this.box.open(Buffer.from(encrypted, 'base64url'), this.context).toString();
      const { value, expiresAt } = JSON.parse(text) as { readonly value: T; readonly expiresAt: number };
      return expiresAt > this.clock.now().getTime() ? value : null;
    } catch {
      // Treat a cookie that this service has not encrypted as missing.
      return null;
    }
  }

  private cookie(value: string, seconds: number): string {
    // Lax lets browsers send the cookie when the provider redirects back, but on no other request from other sites.
    return `${this.name}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${this.secure ? '; Secure' : ''}`;
  }
}

function cookieNamed(name: string, cookies = ''): string | null {
  const pair = cookies.split(';').find((part) => part.trim().startsWith(`${name}=`));
  return pair?.trim().slice(name.length + 1) ?? null;
}
