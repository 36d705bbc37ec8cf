import { LRUCache } from 'lru-cache';
import { barcodeLibrary } from './barcode-library.js';
import { qrDrawing } from './qr-code.js';

// The option `padding` is in half modules. It gives each format the quiet zone of its standard.
const options = {
  pdf417: { bcid: 'pdf417', padding: 4 },
  aztec: { bcid: 'azteccode', padding: 4 },
  code128: { bcid: 'code128', height: 15, paddingwidth: 20, paddingheight: 4 },
  code39: { bcid: 'code39', height: 15, paddingwidth: 20, paddingheight: 4 },
  codabar: { bcid: 'rationalizedCodabar', height: 15, paddingwidth: 20, paddingheight: 4 },
  ean13: { bcid: 'ean13', height: 15, paddingleft: 22, paddingright: 14, paddingheight: 4 },
  itf: { bcid: 'interleaved2of5', height: 15, paddingwidth: 20, paddingheight: 4 },
} as const;

/** The barcode formats that both wallets support. */
export type Symbology = 'qr' | keyof typeof options;

/** The size of the cache in characters of SVG, enough for some thousand typical codes. */
const storedCharacters = 8_000_000;
const drawn = new LRUCache<string, string>({ maxSize: storedCharacters, sizeCalculation: (svg) => svg.length });

/**
 * Returns a barcode as an `<svg>` element without size, title, style or script. It is black on transparent and includes
 * its quiet zone, so put it on a white background. Texts are encoded as UTF-8. Pass only codes for which `shownFormat`
 * returns this format, and for Code 128 only 1 to 40 ASCII characters. Drawings are cached: a typical QR code takes a
 * millisecond, the longest (512 emoji) 60 ms, other formats typically 5 ms.
 * @param isSmall true for a small QR code, whose modules must stay large, see `qrDrawing`
 * @throws Error if the symbology cannot hold the text; a QR code has room for every code of a pass
 */
export function barcodeSvg(symbology: Symbology, text: string, isSmall = false): string {
  const name = `${symbology} ${isSmall} ${text}`;
  const svg = drawn.get(name) ?? draw(symbology, text, isSmall);
  drawn.set(name, svg);
  return svg;
}

/** Draws a text, such as the address of a page, as a small QR code that a phone nearby scans. */
export function qrCodeSvg(text: string): string {
  return barcodeSvg('qr', text, true);
}

function draw(symbology: Symbology, text: string, isSmall: boolean): string {
  if (symbology === 'qr') return qrDrawing(text, isSmall);
  const { toSVG } = barcodeLibrary();
  // The library's types omit options that belong to a single symbology.
  const svg = toSVG({ ...options[symbology], text: symbology === 'codabar' ? guarded(text) : text });
  // Hide the drawing from assistive technology, because the page describes it.
  return svg.trim().replace('<svg ', '<svg aria-hidden="true" ');
}

/** Returns a Codabar code with start and stop letters. Adds the letter A at both ends if they are missing. */
function guarded(code: string): string {
  return /^[A-D]/.test(code) ? code : `A${code}A`;
}
