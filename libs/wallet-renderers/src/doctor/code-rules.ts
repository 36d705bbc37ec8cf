import type { Fault, Rule } from './finding.js';
import { faultIf, quoted } from './wording.js';

/** Bytes that the largest QR code holds at error correction M, which the wallets draw. @see ISO/IEC 18004 */
const maxBytes = 2331;
/** Up to here the squares of a code are large enough on a phone for any scanner. */
const easyBytes = 150;
const latin1 = /^[\u0000-\u00ff]*$/u;

/** The message's size in the encoding it is sent in. */
function sizeOf(code: string): number {
  return latin1.test(code) ? code.length : new TextEncoder().encode(code).length;
}

/** One check of a pass's code, if it has one yet. */
function ofCode(isWrong: (code: string) => boolean, message: (code: string) => string): Pick<Rule, 'pass'> {
  return { pass: ({ code }): Fault[] => (code === null ? [] : faultIf(isWrong(code), 'code', () => message(code))) };
}

/** What a pass's barcode can say, and a scanner read. */
export const codeRules: readonly Rule[] = [
  {
    id: 'code-unencodable',
    severity: 'error',
    wallet: 'all',
    title: 'The code holds characters that no barcode can carry',
    why: 'Apple Wallet shows the pass without a barcode when its message cannot be encoded; scanners drop control characters.',
    fix: 'use visible characters only',
    ...ofCode(
      (code) => code === '' || /[\p{Cc}\p{Cs}]/u.test(code),
      (code) => (code === '' ? 'the code is empty' : `${quoted(code)} holds control characters or half of a pair`),
    ),
  },
  {
    id: 'code-too-long',
    severity: 'error',
    wallet: 'all',
    title: 'The code is longer than a QR code can be',
    why: 'Without a word, the pass has no barcode.',
    fix: `at most ${maxBytes} bytes`,
    ...ofCode(
      (code) => sizeOf(code) > maxBytes,
      (code) => `the code has ${sizeOf(code)} bytes`,
    ),
  },
  {
    id: 'code-dense',
    severity: 'warning',
    wallet: 'all',
    title: 'The code is long, so its barcode is hard to scan',
    why: 'The squares become so small that scanners need time, light and a clean screen.',
    fix: `at most ${easyBytes} bytes: an id that your system looks up`,
    ...ofCode(
      (code) => sizeOf(code) > easyBytes && sizeOf(code) <= maxBytes,
      (code) => `the code has ${sizeOf(code)} bytes`,
    ),
  },
  {
    id: 'code-not-ascii',
    severity: 'warning',
    wallet: 'all',
    title: 'The code holds characters beyond ASCII',
    why: 'A QR code does not say for certain which encoding it is in: many scanners read other characters than were sent.',
    fix: 'use letters without accents, digits and punctuation',
    ...ofCode(
      (code) => /[^\u0000-\u007f]/.test(code),
      (code) => `${quoted(code)} holds characters beyond ASCII`,
    ),
  },
  {
    id: 'code-edge-space',
    severity: 'warning',
    wallet: 'all',
    title: 'The code begins or ends with a space',
    why: 'Scanners and tills remove it, and then the code is not found.',
    fix: 'leave the space out',
    ...ofCode(
      (code) => code !== code.trim(),
      (code) => `${quoted(code)} begins or ends with a space`,
    ),
  },
];
