import { drawnEverywhere } from '../apple/pass-json.js';
import { checkDigit, withCheckDigit } from '../check-digit.js';
import {
  codeBytes,
  codeFormatNames,
  codeForms,
  endsWithCheckDigit,
  googleFormat,
  hasForm,
  maxCodeBytes,
  shownFormat,
} from '../code-format.js';
import type { CodeFormat } from '../model.js';
import type { Problem, Rule } from '../finding.js';
import { problemIf, quoted } from '../problem-text.js';

/**
 * The maximum number of bytes of a code that every scanner can read from a phone. Longer codes have modules that are
 * too small for some scanners.
 */
const easyBytes: Record<CodeFormat, number> = {
  ...{ qr: 150, pdf417: 150, aztec: 150, code128: 24 },
  ...{ code39: 16, codabar: 22, ean13: 13, itf: 40 },
};

/** The least number of digits, or characters, that common scanners read without being set up for fewer. */
const leastDigits: Partial<Record<CodeFormat, number>> = { itf: 6, codabar: 2 };

interface CodeFault {
  readonly message: string;
  readonly fix?: string;
}

/**
 * Builds a check of the code of a pass. It accepts a pass without a code.
 * @param look returns the error, or null
 */
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

/** Returns the error of a code whose characters or length are not allowed in its format. */
function formProblem(code: string, format: CodeFormat): CodeFault {
  const name = codeFormatNames[format];
  if (format === 'code128')
    return { message: `${quoted(code)} holds characters beyond ASCII, which ${name} does not know` };
  if (format === 'ean13' && /^[0-9]{12}$/.test(code)) {
    return { message: `${quoted(code)} lacks its check digit`, fix: `send "${code}${checkDigit(code)}"` };
  }
  return { message: `${quoted(code)} does not fit ${name}`, fix: `use ${codeForms[format]?.rule ?? 'another code'}` };
}

/** Returns the error of a wrong check digit. */
function checkDigitProblem(code: string, format: CodeFormat): CodeFault | null {
  if (!hasForm(code, format) || !endsWithCheckDigit(code, format)) return null;
  const right = withCheckDigit(code);
  if (right === code) return null;
  return {
    message: `the check digit of ${quoted(code)} must be ${right.slice(-1)}, not ${code.slice(-1)}`,
    fix: `send "${right}" if the other digits are right`,
  };
}

/** Rules on the content and readability of a pass's barcode. */
export const codeRules: readonly Rule[] = [
  {
    id: 'code-unencodable',
    severity: 'error',
    wallet: 'all',
    title: 'The code contains characters that its barcode cannot encode',
    why: 'Apple Wallet shows the pass without a barcode if its code cannot be encoded. Scanners drop control characters.',
    fix: 'use visible characters only, and only those of the format: ASCII in Code 128, fewer in Code 39, Codabar, EAN-13 and ITF',
    ...ofCode((code, format) => {
      if (code === '') return { message: 'the code is empty' };
      if (/[\p{Cc}\p{Cs}]/u.test(code)) {
        return { message: `${quoted(code)} holds control characters or half of a pair` };
      }
      return hasForm(code, format) ? null : formProblem(code, format);
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
      `${maxCodeBytes.code128} in Code 128 and ITF, ${maxCodeBytes.codabar} in Codabar, ${maxCodeBytes.code39} in Code 39`,
    ...ofCode((code, format) => {
      const limit = maxCodeBytes[format];
      return hasForm(code, format) && codeBytes(code, format) > limit ? sizeProblem(code, format, limit) : null;
    }),
  },
  {
    id: 'code-check-digit',
    severity: 'error',
    wallet: 'all',
    title: 'The last digit of the code is not its check digit',
    why: 'Wallets cannot draw such an EAN-13 or ITF-14, and scanners would reject it.',
    fix: 'send the number with the right check digit',
    ...ofCode(checkDigitProblem),
  },
  {
    id: 'code-shown-as-qr',
    severity: 'info',
    wallet: 'walletA',
    title: 'Some devices show a QR code instead of the barcode',
    why: 'Apple Watch does not draw Code 128, and iPhones draw Code 39, Codabar, EAN-13 and ITF from iOS 27 on. Devices that do not draw it show the QR code that the pass also contains.',
    fix: 'use scanners that read QR codes too, or one of qr, pdf417 and aztec',
    template: ({ codeFormat }) => {
      const device = codeFormat === 'code128' ? 'Apple Watch' : 'iOS 26';
      return problemIf(!drawnEverywhere.includes(codeFormat), 'codeFormat', () => {
        return `${device} does not draw ${codeFormatNames[codeFormat]}`;
      });
    },
  },
  {
    id: 'code-itf-length',
    severity: 'warning',
    wallet: 'walletB',
    title: 'The ITF code does not have 14 digits',
    why: 'Google Wallet has ITF with 14 digits only, so it shows a QR code.',
    fix: 'use 14 digits, the last of them the check digit, or scanners that read QR codes too',
    pass: ({ code }, { codeFormat }) => {
      const digits =
        code === null ? 'the service would choose a code with 20 digits' : `the code has ${code.length} digits`;
      const isOther = code === null || shownFormat({ codeFormat }, code) !== googleFormat({ codeFormat }, code);
      return problemIf(codeFormat === 'itf' && isOther, 'code', () => digits);
    },
  },
  {
    id: 'code-short',
    severity: 'warning',
    wallet: 'all',
    title: 'The code is too short for scanners to trust',
    why: 'ITF and Codabar have no check of their own, so a scanner that sees a part of the bars reads another code. Many scanners therefore ignore ITF with fewer than six digits, and Codabar with one.',
    fix: 'fill the code up with zeros: at least 6 digits in ITF, 2 in Codabar',
    ...ofCode((code, format) => {
      const least = leastDigits[format];
      const count = code.replace(/[A-D]/g, '').length;
      if (least === undefined || !hasForm(code, format) || count >= least) return null;
      const fix = `fill the code up with zeros to at least ${least} digits`;
      return { message: `${quoted(code)} is short for ${codeFormatNames[format]}`, fix };
    }),
  },
  {
    id: 'code-chosen-for-ean',
    severity: 'warning',
    wallet: 'all',
    title: 'A pass with an EAN-13 barcode has no code of its own',
    why: 'The service generates a code that is too long for EAN-13, so wallets would show a QR code.',
    fix: 'send a code with 13 digits',
    pass: ({ code }, { codeFormat }) =>
      problemIf(code === null && codeFormat === 'ean13', 'code', () => 'code is absent'),
  },
  {
    id: 'code-dense',
    severity: 'warning',
    wallet: 'all',
    title: 'The code is long, so its barcode is hard to scan',
    why: 'Its squares or bars become so small that scanners need time, light and a clean screen.',
    fix:
      `at most ${easyBytes.qr} bytes, ${easyBytes.code128} in Code 128, ${easyBytes.codabar} in Codabar, ` +
      `${easyBytes.code39} in Code 39: an id that your system looks up`,
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
      hasForm(code, format) && /[^\u0000-\u007f]/.test(code)
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
