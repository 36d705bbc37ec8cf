import { withCheckDigit } from './check-digit.js';
import type { CodeFormat, RenderTemplate } from './model.js';

/** The barcode formats that both wallets draw. The first is the default for templates. */
export const codeFormats = [
  'qr',
  'pdf417',
  'aztec',
  'code128',
  'code39',
  'codabar',
  'ean13',
  'itf',
] as const satisfies readonly CodeFormat[];

/** The names of the formats in their standards. */
export const codeFormatNames: Record<CodeFormat, string> = {
  qr: 'QR code',
  pdf417: 'PDF417',
  aztec: 'Aztec',
  code128: 'Code 128',
  code39: 'Code 39',
  codabar: 'Codabar',
  ean13: 'EAN-13',
  itf: 'ITF',
};

/**
 * The maximum number of bytes for each format. A QR code has its capacity at error correction M, which the wallets use.
 * The other formats could contain more, but their modules would be too small on a phone.
 * @see ISO/IEC 18004, 15438, 24778, 15417, 16388, 15420 and 16390, EN 798
 */
export const maxCodeBytes: Record<CodeFormat, number> = {
  ...{ qr: 2331, pdf417: 600, aztec: 600, code128: 40 },
  ...{ code39: 28, codabar: 36, ean13: 13, itf: 40 },
};

/** The codes that a barcode format can contain: a pattern, and its description in words. */
interface CodeForm {
  readonly pattern: RegExp;
  readonly rule: string;
}

/** The pattern of valid codes for each format. A format that encodes any text has no pattern. */
export const codeForms: Partial<Record<CodeFormat, CodeForm>> = {
  code128: { pattern: /^[\u0000-\u007f]*$/, rule: 'letters without accents, digits and punctuation' },
  code39: {
    pattern: /^[0-9A-Z .$/+%-]+$/,
    rule: 'digits, capital letters without accents, spaces and - . $ / + %',
  },
  codabar: {
    pattern: /^(?:[0-9$:/.+-]+|[A-D][0-9$:/.+-]+[A-D])$/,
    rule: 'digits and - $ : / . +, with or without one of the letters A to D at both ends',
  },
  ean13: { pattern: /^[0-9]{13}$/, rule: '13 digits' },
  itf: { pattern: /^(?:[0-9]{2})+$/, rule: 'an even number of digits' },
};

const latin1 = /^[\u0000-\u00ff]*$/u;

/**
 * Returns the number of bytes of a code in its barcode: Latin-1 in a QR code if possible, otherwise UTF-8. The web view
 * writes PDF417 and Aztec in UTF-8.
 */
export function codeBytes(code: string, format: CodeFormat): number {
  return format === 'qr' && latin1.test(code) ? code.length : new TextEncoder().encode(code).length;
}

/** Returns true if a code matches the pattern of its format. Does not check the number of bytes or the check digit. */
export function hasForm(code: string, format: CodeFormat): boolean {
  return codeForms[format]?.pattern.test(code) ?? true;
}

/**
 * Returns true if the last digit of a code must be a check digit: in EAN-13, and in ITF with 14 digits. Expects a code
 * that matches the pattern of its format.
 */
export function endsWithCheckDigit(code: string, format: CodeFormat): boolean {
  return format === 'ean13' || (format === 'itf' && code.length === itf14Length);
}

const itf14Length = 14;

/**
 * Returns the format that shows the code of a pass: the template's, or a QR code if the template's format cannot hold
 * the code. This happens if the template's format changes after the pass was issued.
 */
export function shownFormat({ codeFormat }: Pick<RenderTemplate, 'codeFormat'>, code: string): CodeFormat {
  const holds =
    hasForm(code, codeFormat) &&
    codeBytes(code, codeFormat) <= maxCodeBytes[codeFormat] &&
    !(endsWithCheckDigit(code, codeFormat) && withCheckDigit(code) !== code);
  return holds ? codeFormat : 'qr';
}

/**
 * Returns the format in Google Wallet, which supports ITF only with 14 digits. ITF codes of other lengths become a QR
 * code.
 */
export function googleFormat(template: Pick<RenderTemplate, 'codeFormat'>, code: string): CodeFormat {
  const format = shownFormat(template, code);
  return format === 'itf' && code.length !== itf14Length ? 'qr' : format;
}

/** Returns true for a format that is wider than high. The other formats are square. */
export function isWide(format: CodeFormat): boolean {
  return format !== 'qr' && format !== 'aztec';
}
