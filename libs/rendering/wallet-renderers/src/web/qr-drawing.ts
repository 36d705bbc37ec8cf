import { encode } from 'uqr';

/** The quiet zone of the standard, in modules. */
const quietZone = 4;

/**
 * The number of bytes that fit into a symbol of 93 modules at error correction Q. If the symbol is as wide as a small
 * phone, each module is 0.4 mm wide, the smallest size that scanners in shops must read. Longer texts would get smaller
 * modules.
 * @see GS1 General Specifications, 5.12.3 (symbol specification tables)
 */
const sturdyBytes = 442;

/** The number of bytes that fit into a small QR code, 33 × 33 modules, at error correction Q. */
const smallSturdyBytes = 46;

/**
 * Draws a QR code with a quiet zone of four modules as an `<svg>` element, see `barcodeSvg`. Texts of up to 442 bytes
 * have error correction Q or H, longer texts at least M, so that scanners can read them on cracked screens. A typical
 * code takes a millisecond, the longest (512 emoji) 25 ms.
 * @param isSmall true for a drawing of about 110 pixels, in which only texts of up to 46 bytes have Q
 * @throws Error if the text is longer than 2331 bytes of UTF-8
 */
export function qrDrawing(text: string, isSmall = false): string {
  // The library rejects a string with an unpaired surrogate. In bytes, the surrogate becomes the replacement character.
  const isAscii = /^[\0-\x7f]*$/.test(text);
  const bytes = [...Buffer.from(text)];
  const ecc = bytes.length <= (isSmall ? smallSturdyBytes : sturdyBytes) ? 'Q' : 'M';
  // The library raises the error correction further if this does not enlarge the symbol.
  const { size, data } = encode(isAscii ? text : bytes, { ecc, boostEcc: true, border: quietZone });
  const lines = data.map(lineOf).join('');
  return (
    `<svg aria-hidden="true" viewBox="0 0 ${size} ${size}" xmlns="http://www.w3.org/2000/svg">` +
    `<path stroke="#000" shape-rendering="crispEdges" d="${lines}"/></svg>`
  );
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
