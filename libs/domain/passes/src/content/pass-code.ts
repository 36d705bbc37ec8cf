import { randomBytes } from 'node:crypto';

/**
 * Crockford's base 32: without I, L, O and U, which are easily misread or misheard. 32 symbols, so 5 random bits select
 * one.
 */
const symbols = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/**
 * Returns an unguessable code that is easy to read out: 20 symbols in groups of 5, `7K3MQ-9XPZ0-…`, 100 random bits.
 */
export function randomCode(): string {
  const code = Array.from(randomBytes(20), (byte) => symbols.charAt(byte & 31)).join('');
  return code.replace(/.{5}(?=.)/g, '$&-');
}
