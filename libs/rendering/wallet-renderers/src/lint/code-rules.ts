import { codeBytes, codeFormatNames, hasCharacters, maxCodeBytes } from '../code-format.js';
import type { CodeFormat } from '../model.js';
import type { Problem, Rule } from './finding.js';
import { quoted } from './wording.js';

/** The number of bytes up to which the modules of a code on a phone are large enough for any scanner. */
const easyBytes: Record<CodeFormat, number> = { qr: 150, pdf417: 150, aztec: 150, code128: 24 };

interface CodeFault {
  readonly message: string;
  readonly fix?: string;
}

/** Builds a check of a pass's code, if the pass already has one. @param look returns the error, or null */
function ofCode(look: (code: string, format: CodeFormat) => CodeFault | null): Pick<Rule, 'pass'> {
  return {
    pass: ({ code }, { codeFormat }): Problem[] => {
      const problem = code === null ? null : look(code, codeFormat);
      return problem ? [{ path: 'code', ...problem }] : [];
    },
  };
}

/** Returns the error of a code with too many bytes. */
function sizeProblem(code: string, format: CodeFormat, limit: number): CodeFault {
  const where = format === 'qr' ? '' : `, and its barcode is ${codeFormatNames[format]}`;
  return { message: `the code has ${codeBytes(code, format)} bytes${where}`, fix: `at most ${limit} bytes` };
}

/** Rules on the content and readability of a pass's barcode. */
export const codeRules: readonly Rule[] = [
  {
    id: 'code-unencodable',
    severity: 'error',
    wallet: 'all',
    title: 'The code contains characters that its barcode cannot encode',
    why: 'Apple Wallet shows the pass without a barcode if its message cannot be encoded. Scanners drop control characters.',
    fix: 'use visible characters only; in Code 128 only letters without accents, digits and punctuation',
    ...ofCode((code, format) => {
      if (code === '') return { message: 'the code is empty' };
      if (/[\p{Cc}\p{Cs}]/u.test(code)) {
        return { message: `${quoted(code)} holds control characters or half of a pair` };
      }
      return hasCharacters(code, format)
        ? null
        : { message: `${quoted(code)} holds characters beyond ASCII, which ${codeFormatNames[format]} does not know` };
    }),
  },
  {
    id: 'code-too-long',
    severity: 'error',
    wallet: 'all',
    title: 'The code is longer than its barcode can be',
    why: 'The pass silently has no barcode, or one that no scanner can read.',
    fix:
      `at most ${maxCodeBytes.qr} bytes in a QR code, ${maxCodeBytes.aztec} in Aztec and PDF417, ` +
      `${maxCodeBytes.code128} in Code 128`,
    ...ofCode((code, format) => {
      const limit = maxCodeBytes[format];
      return codeBytes(code, format) > limit ? sizeProblem(code, format, limit) : null;
    }),
  },
  {
    id: 'code-dense',
    severity: 'warning',
    wallet: 'all',
    title: 'The code is long, so its barcode is hard to scan',
    why: 'Its squares or bars become so small that scanners need time, light and a clean screen.',
    fix: `at most ${easyBytes.qr} bytes, ${easyBytes.code128} in Code 128: an id that your system looks up`,
    ...ofCode((code, format) => {
      const size = codeBytes(code, format);
      const limit = easyBytes[format];
      if (size <= limit || size > maxCodeBytes[format]) return null;
      return { ...sizeProblem(code, format, limit), fix: `at most ${limit} bytes: an id that your system looks up` };
    }),
  },
  {
    id: 'code-not-ascii',
    severity: 'warning',
    wallet: 'all',
    title: 'The code contains characters beyond ASCII',
    why: 'A barcode does not reliably state its encoding, so many scanners read different characters from those sent.',
    fix: 'use letters without accents, digits and punctuation',
    ...ofCode((code, format) =>
      hasCharacters(code, format) && /[^\u0000-\u007f]/.test(code)
        ? { message: `${quoted(code)} holds characters beyond ASCII` }
        : null,
    ),
  },
  {
    id: 'code-edge-space',
    severity: 'warning',
    wallet: 'all',
    title: 'The code begins or ends with a space',
    why: 'Scanners and tills remove it, and then cannot find the code.',
    fix: 'leave the space out',
    ...ofCode((code) => (code === code.trim() ? null : { message: `${quoted(code)} begins or ends with a space` })),
  },
];
