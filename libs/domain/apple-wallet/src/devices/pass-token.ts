import { timingSafeEqual } from 'node:crypto';
import { appError } from '@passwright/core';

const form = /^ApplePass +([\w-]{1,128}) *$/i;

/**
 * 401: no token, or not that of the pass. The answer is the same whatever is wrong, the pass type, the serial number or
 * the token, so that nothing can be told from it.
 */
export class PassTokenRefused extends appError(401, 'unauthorized') {
  override readonly headers = { 'WWW-Authenticate': 'ApplePass' };

  constructor() {
    super('Send the authentication token of a pass of this type and serial number: Authorization: ApplePass <token>.');
  }
}

/**
 * Compares the token of an `Authorization` header, in a time that tells nothing about how much of it is right.
 * @see https://developer.apple.com/documentation/walletpasses/register-a-pass-for-update-notifications
 * @throws PassTokenRefused
 */
export function requirePassToken(header: string | undefined, expected: string): void {
  const sent = Buffer.from(form.exec(header ?? '')?.[1] ?? '');
  const token = Buffer.from(expected);
  if (sent.length !== token.length || !timingSafeEqual(sent, token)) throw new PassTokenRefused();
}
