import type { CodeFormat, RenderTemplate } from './model.js';

/** The kinds of barcode that both wallets draw, the one that templates have when they say nothing first. */
export const codeFormats = ['qr', 'pdf417', 'aztec', 'code128'] as const satisfies readonly CodeFormat[];

/** Their names, as their standards have them. */
export const codeFormatNames: Record<CodeFormat, string> = {
  qr: 'QR code',
  pdf417: 'PDF417',
  aztec: 'Aztec',
  code128: 'Code 128',
};

/**
 * Bytes that each may hold: a QR code what it can at error correction M, which the wallets draw. The others could hold
 * more, but their squares and bars would be too small on a phone; every code of ASCII fits PDF417 and Aztec.
 * @see ISO/IEC 18004, 15438, 24778 and 15417
 */
export const maxCodeBytes: Record<CodeFormat, number> = { qr: 2331, pdf417: 600, aztec: 600, code128: 40 };

const latin1 = /^[\u0000-\u00ff]*$/u;
const ascii = /^[\u0000-\u007f]*$/;

/** The code's size in the encoding it is sent in. PDF417 and Aztec count as UTF-8, which the web view writes. */
export function codeBytes(code: string, format: CodeFormat): number {
  return format === 'qr' && latin1.test(code) ? code.length : new TextEncoder().encode(code).length;
}

/** Whether a barcode knows all characters of a code: Code 128 has ASCII only. */
export function hasCharacters(code: string, format: CodeFormat): boolean {
  return format !== 'code128' || ascii.test(code);
}

/**
 * The format that the code of a pass is shown in: its template's; a QR code where that cannot hold it, for a template
 * may have become one of another format after the pass was issued, and a pass without a barcode is worth nothing.
 */
export function shownFormat({ codeFormat }: Pick<RenderTemplate, 'codeFormat'>, code: string): CodeFormat {
  return hasCharacters(code, codeFormat) && codeBytes(code, codeFormat) <= maxCodeBytes[codeFormat] ? codeFormat : 'qr';
}

/** Whether a format is wider than high; the others are square. */
export function isWide(format: CodeFormat): boolean {
  return format === 'pdf417' || format === 'code128';
}
