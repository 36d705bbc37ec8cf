import { barcodeSvg } from './barcode.js';

/** Returns the `barcodeSvg` of a QR code: error correction M or better, a quiet zone of four modules. */
export function qrCodeSvg(text: string): string {
  return barcodeSvg('qr', text);
}
