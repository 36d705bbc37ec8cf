import { toSVG } from 'bwip-js';
import { LRUCache } from 'lru-cache';
import { qrDrawing } from './qr-drawing.js';

// `padding` is in half modules, so that each has the quiet zone its standard asks for.
const options = {
  pdf417: { bcid: 'pdf417', padding: 4 },
  aztec: { bcid: 'azteccode', padding: 4 },
  code128: { bcid: 'code128', height: 15, paddingwidth: 20, paddingheight: 4 },
} as const;

/** The barcodes that both wallets know. */
export type Symbology = 'qr' | keyof typeof options;

/** In characters of SVG: some thousand usual codes. */
const keptCharacters = 8_000_000;
const drawn = new LRUCache<string, string>({ maxSize: keptCharacters, sizeCalculation: (svg) => svg.length });

/**
 * A barcode as an `<svg>` element without size, title, style or script: black on a transparent ground, its quiet zone
 * included, so give it a white ground. Texts are UTF-8 in all of them; Code 128 is read as such by few scanners and has
 * no room for long texts, so give it ASCII of 1 to 40 characters. Drawn once while it is in use: a usual QR code takes
 * a millisecond, the longest (512 emoji) 25 ms; of the others, a usual one takes 5 ms.
 * @throws Error when the text is too long for the symbology; a QR code has room for every code of a pass
 */
export function barcodeSvg(symbology: Symbology, text: string): string {
  const name = `${symbology} ${text}`;
  const svg = drawn.get(name) ?? draw(symbology, text);
  drawn.set(name, svg);
  return svg;
}

function draw(symbology: Symbology, text: string): string {
  if (symbology === 'qr') return qrDrawing(text);
  // Some options belong to one symbology only, which the library's types leave out.
  const svg = toSVG({ ...options[symbology], text });
  // Hidden from assistive technology: whoever shows it says what it is. `focusable` is for old browsers.
  return svg.trim().replace('<svg ', '<svg aria-hidden="true" ');
}
