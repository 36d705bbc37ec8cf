import { barcodeSvg } from './barcode.js';

/** Returns the `barcodeSvg` of a small QR code, such as that of a page's address for a phone nearby. */
export function qrCodeSvg(text: string): string {
  return barcodeSvg('qr', text, true);
}
