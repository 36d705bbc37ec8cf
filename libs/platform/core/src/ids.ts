import { randomInt } from 'node:crypto';

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Returns 22 base62 characters: over 128 random bits, URL-safe, unguessable. */
export function randomId(): string {
  let id = '';
  for (let i = 0; i < 22; i++) id += base62[randomInt(62)];
  return id;
}

/** Returns an id whose prefix names its kind, such as `acc_…` for an account. */
export function newId(prefix: 'acc' | 'usr' | 'ses' | 'whk' | 'msg'): string {
  return `${prefix}_${randomId()}`;
}

/** The form of every caller-chosen id: 1 to 64 characters, the first a letter or digit. */
export const callerChosenId = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

const accountId = /^acc_([0-9A-Za-z]{22})$/;

/**
 * Returns the 22 characters that name an account inside a credential or an address, so that a look-up searches only one
 * partition. Returns null for null, and for an account id that the app chose.
 */
export function accountPart(id: string | null): string | null {
  return accountId.exec(id ?? '')?.[1] ?? null;
}

/**
 * Returns the account id that `accountPart` has shortened; null if a credential or an address contains no such part.
 */
export function accountOfPart(part: string | undefined): string | null {
  return part ? `acc_${part}` : null;
}
