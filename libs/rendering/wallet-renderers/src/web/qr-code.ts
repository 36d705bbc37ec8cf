import { encode } from 'uqr';
import { barcodeLibrary } from './barcode-library.js';

/** The quiet zone of the standard, in modules. */
const quietZone = 4;

/**
 * The number of bytes in a symbol of 93 modules at error correction Q. On a small phone, its modules are 0.4 mm wide,
 * the smallest size that scanners in shops must read.
 * @see GS1 General Specifications, 5.12.3 (symbol specification tables)
 */
const sturdyBytes = 442;

/** The number of bytes that fit into a small QR code, 33 × 33 modules, at error correction Q. */
const smallSturdyBytes = 46;

/** The number of bytes by which the declaration of an encoding lowers a capacity. */
const declarationBytes = 2;
/** The capacity of the largest symbol at error correction M. */
const mostBytes = 2331;

/**
 * Draws a QR code with a quiet zone of four modules as an `<svg>` element, see `barcodeSvg`. Texts of up to 440 bytes
 * have error correction Q or H, longer texts M or Q, so that scanners can read them on cracked screens. Only a text
 * beyond ASCII with more than 2329 bytes has L. A typical code takes a millisecond, the longest (512 emoji) 60 ms.
 * @param isSmall true for a drawing of about 110 pixels, in which only texts of up to 44 bytes have Q
 * @throws Error if the text is longer than 2331 bytes of UTF-8
 */
export function qrDrawing(text: string, isSmall: boolean): string {
  const sturdy = isSmall ? smallSturdyBytes : sturdyBytes;
  const rows = /^[\0-\x7f]*$/.test(text) ? asciiRows(text, sturdy) : declaredRows(text, sturdy - declarationBytes);
  const size = rows.length;
  return (
    `<svg aria-hidden="true" viewBox="0 0 ${size} ${size}" xmlns="http://www.w3.org/2000/svg">` +
    `<path stroke="#000" shape-rendering="crispEdges" d="${rows.map(lineOf).join('')}"/></svg>`
  );
}

/** The modules of a symbol and its quiet zone by row; true is dark. */
type Rows = readonly (readonly boolean[])[];

function asciiRows(text: string, sturdy: number): Rows {
  const ecc = text.length <= sturdy ? 'Q' : 'M';
  // The library raises the error correction further if this does not enlarge the symbol.
  return encode(text, { ecc, boostEcc: true, border: quietZone }).data;
}

/**
 * Encodes any text as UTF-8, and declares this encoding by an extended channel interpretation (ISO/IEC 18004, 7.4.2).
 * Without the declaration, scanners guess the encoding: zbar reads `é` as a Chinese character.
 */
function declaredRows(text: string, sturdy: number): Rows {
  const bytes = Buffer.from(text);
  const fits = bytes.length <= mostBytes - declarationBytes;
  const eclevel = bytes.length <= sturdy ? 'Q' : fits ? 'M' : 'L';
  // Each character of the library's text is a byte. A circumflex begins an instruction, and two stand for one.
  const coded = `^ECI000026${bytes.toString('latin1').replaceAll('^', '^^')}`;
  const options = { bcid: 'qrcode', text: coded, parsefnc: true, binarytext: true, eclevel };
  const [symbol] = barcodeLibrary().raw(options) as { readonly pixs: readonly number[]; readonly pixx: number }[];
  const { pixs, pixx } = symbol ?? { pixs: [], pixx: 0 };
  const light = Array<boolean>(quietZone).fill(false);
  const edge = Array.from(light, () => Array<boolean>(pixx + 2 * quietZone).fill(false));
  const rows = Array.from({ length: pixx }, (_, y) => pixs.slice(y * pixx, (y + 1) * pixx).map((pixel) => pixel === 1));
  return [...edge, ...rows.map((row) => [...light, ...row, ...light]), ...edge];
}

/**
 * Returns the dark modules of a row as strokes from left to right, one module high. Neighbouring modules form one
 * stroke.
 */
function lineOf(row: readonly boolean[], y: number): string {
  let line = '';
  let from = -1;
  let pen = -1;
  row.forEach((dark, x) => {
    if (dark && from < 0) from = x;
    if (!dark && from >= 0) {
      line += `${pen < 0 ? `M${from} ${y}.5` : `m${from - pen} 0`}h${x - from}`;
      pen = x;
      from = -1;
    }
  });
  return line;
}
