import { barcodeSvg } from './barcode.js';

/** Draws a text, such as the address of a page, as a small QR code that a phone nearby scans. */
export function qrCodeSvg(text: string): string {
  return barcodeSvg('qr', text, true);
}
