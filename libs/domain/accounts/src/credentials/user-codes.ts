import { createHash, randomBytes } from 'node:crypto';

/** The format of every code: 256 random bits in base64url. */
export const userCodeForm = /^[A-Za-z0-9_-]{43}$/;

/** How long a code that resets a password is valid. */
export const PASSWORD_CODE_MS = 60 * 60_000;
/** How long a code that confirms an e-mail is valid. */
export const EMAIL_CODE_MS = 24 * 60 * 60_000;

export function newUserCode(): string {
  return randomBytes(32).toString('base64url');
}

/** Hashes the code; only the hash is stored. The code is random, so a fast hash is as safe as a slow one. */
export function userCodeHash(code: string): Buffer {
  return createHash('sha256').update(code).digest();
}
