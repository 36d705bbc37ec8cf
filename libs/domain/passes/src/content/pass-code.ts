import { randomInt } from 'node:crypto';
import type { CodeFormat } from '@passwright/wallet-renderers';

/** Crockford's base 32: without I, L, O and U, which are easily misread or misheard. */
const symbols = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/**
 * Returns an unguessable code that is easy to read out: 20 symbols in groups of 5, `7K3MQ-9XPZ0-…`, 100 random bits.
 * For a barcode format that has only digits, returns 20 digits with 66 random bits. An EAN-13 is too short for an
 * unguessable code, so wallets show such a pass with a QR code.
 */
export function randomCode(format: CodeFormat): string {
  if (format === 'codabar' || format === 'itf') return Array.from({ length: 20 }, () => randomInt(10)).join('');
  return [fiveSymbols(), fiveSymbols(), fiveSymbols(), fiveSymbols()].join('-');
}

/**
 * Draws from Node's buffered random numbers, because `randomBytes` would ask the operating system for the bytes of each
 * code.
 */
function fiveSymbols(): string {
  let five = '';
  for (let n = 0; n < 5; n++) five += symbols.charAt(randomInt(symbols.length));
  return five;
}
