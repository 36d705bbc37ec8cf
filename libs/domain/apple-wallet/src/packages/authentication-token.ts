import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';
import { appError } from '@passwright/core';

/**
 * Derives the authentication token of a pass, which proves that a phone holds it. The token never changes. It cannot be
 * derived from the database alone, because the secret is not in the database.
 */
export function authenticationToken(secret: KeyObject, serialNumber: string): string {
  return createHmac('sha256', secret).update(serialNumber).digest('base64url');
}

/**
 * Matches the scheme and token. Wallets for other phones use Apple's protocol with their own authentication schemes.
 */
const form = /^(ApplePass|AndroidPass|WalletUnionPass) +([\w-]{1,128}) *$/i;

/**
 * 401: the token is missing or does not match the pass. The response does not reveal whether the pass type, the serial
 * number or the token is wrong.
 */
export class PassTokenRejected extends appError(401, 'unauthorized') {
  override readonly headers = { 'WWW-Authenticate': 'ApplePass' };

  constructor() {
    super('Send the authentication token of a pass of this type and serial number: Authorization: ApplePass <token>.');
  }
}

/**
 * Checks the token of an `Authorization` header in constant time.
 * @see https://developer.apple.com/documentation/walletpasses/register-a-pass-for-update-notifications
 * @returns `apple` if Apple Wallet sent the token; `other` for a wallet that Apple's push service does not reach.
 * @throws PassTokenRejected
 */
export function requirePassToken(header: string | undefined, expected: string): 'apple' | 'other' {
  const [, scheme = '', sentToken = ''] = form.exec(header ?? '') ?? [];
  const sent = Buffer.from(sentToken);
  const token = Buffer.from(expected);
  if (sent.length !== token.length || !timingSafeEqual(sent, token)) throw new PassTokenRejected();
  return scheme.toLowerCase() === 'applepass' ? 'apple' : 'other';
}
