import type { CodeFormat, RenderTemplate } from './model.js';

/** The barcode formats that both wallets draw, the default of templates first. */
export const codeFormats = ['qr', 'pdf417', 'aztec', 'code128'] as const satisfies readonly CodeFormat[];

/** The names of the formats in their standards. */
export const codeFormatNames: Record<CodeFormat, string> = {
  qr: 'QR code',
  pdf417: 'PDF417',
  aztec: 'Aztec',
  code128: 'Code 128',
};

/**
 * The maximum number of bytes for each format. A QR code has its capacity at error correction M, which the wallets use.
 * The others could hold more, but their modules would be too small on a phone. PDF417 and Aztec hold every ASCII code.
 * @see ISO/IEC 18004, 15438, 24778 and 15417
 */
export const maxCodeBytes: Record<CodeFormat, number> = { qr: 2331, pdf417: 600, aztec: 600, code128: 40 };

const latin1 = /^[\u0000-\u00ff]*$/u;
const ascii = /^[\u0000-\u007f]*$/;

/** Returns the code's size in the encoding that is sent. PDF417 and Aztec count as UTF-8, which the web view uses. */
export function codeBytes(code: string, format: CodeFormat): number {
  return format === 'qr' && latin1.test(code) ? code.length : new TextEncoder().encode(code).length;
}

/** Returns true when the format can express all characters of a code. Code 128 supports ASCII only. */
export function hasCharacters(code: string, format: CodeFormat): boolean {
  return format !== 'code128' || ascii.test(code);
}

/**
 * Returns the format that shows the code of a pass: the template's, or a QR code if that format cannot hold the code.
 * The template's format may have changed after the pass was issued, and a pass without a barcode is useless.
 */
export function shownFormat({ codeFormat }: Pick<RenderTemplate, 'codeFormat'>, code: string): CodeFormat {
  return hasCharacters(code, codeFormat) && codeBytes(code, codeFormat) <= maxCodeBytes[codeFormat] ? codeFormat : 'qr';
}

/** Returns true when a format is wider than high. The others are square. */
export function isWide(format: CodeFormat): boolean {
  return format === 'pdf417' || format === 'code128';
}
