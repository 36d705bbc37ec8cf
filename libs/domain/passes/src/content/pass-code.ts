import { randomInt } from 'node:crypto';
import type { CodeFormat } from '@passwright/wallet-renderers';

/** Crockford's base 32: without I, L, O and U, which are easily misread or misheard. */
const symbols = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/**
 * Returns an unguessable code that is easy to read out: 20 symbols in groups of 5 with 100 random bits, such as
 * `7K3MQ-9XPZ0-…`. For a barcode format with only digits, returns 20 digits with 66 random bits. EAN-13 is too short
 * for these, so wallets show a QR code instead.
 */
export function randomCode(format: CodeFormat): string {
  if (format === 'codabar' || format === 'itf') return Array.from({ length: 20 }, () => randomInt(10)).join('');
  return [fiveSymbols(), fiveSymbols(), fiveSymbols(), fiveSymbols()].join('-');
}

/** Uses Node's buffered random numbers, because `randomBytes` would make a system call for each code. */
function fiveSymbols(): string {
  let five = '';
  for (let n = 0; n < 5; n++) five += symbols.charAt(randomInt(symbols.length));
  return five;
}
