/** The library for all barcodes except QR codes of ASCII texts. */
export type BarcodeLibrary = typeof import('bwip-js');

/** Loads the library at its first use. */
export function barcodeLibrary(): BarcodeLibrary {
  // eslint-disable-next-line @typescript-eslint/no-require-imports -- loading takes 40 ms, and most codes are QR codes
  return require('bwip-js') as BarcodeLibrary;
}
