import { isObject } from './strict-json.js';

type Json = Readonly<Record<string, unknown>>;

/** The maximum number of bytes of some symbologies. The others have no limit of their own. */
const capacities: Readonly<Record<string, number>> = {
  PKBarcodeFormatQR: 2953,
  PKBarcodeFormatPDF417: 1108,
  PKBarcodeFormatAztec: 1914,
};
const formats = [...Object.keys(capacities), ...['Code128', 'Code39', 'Codabar', 'EAN13', 'I2of5'].map(formatName)];
/** The encodings with one byte per character and the code points of Unicode, each with its highest code point. */
const highest: Readonly<Record<string, number>> = { 'us-ascii': 0x7f, ascii: 0x7f, 'iso-8859-1': 0xff, latin1: 0xff };

/**
 * Finds errors in the barcodes of a pass. Phones silently show no barcode if `barcodes` is not a list, or if an
 * encoding cannot express a message.
 * @see https://developer.apple.com/documentation/walletpasses/pass/barcodes-data.dictionary
 */
export function barcodeFaults({ barcodes, barcode }: Json): string[] {
  const single = barcode === undefined ? [] : oneBarcodeFaults('barcode', barcode);
  if (barcodes === undefined) return single;
  if (!Array.isArray(barcodes)) return [...single, 'barcodes is not a list'];
  return [...single, ...barcodes.flatMap((one: unknown, index) => oneBarcodeFaults(`barcodes[${index}]`, one))];
}

function oneBarcodeFaults(path: string, barcode: unknown): string[] {
  if (!isObject(barcode)) return [`${path} is not an object`];
  const { format, message, messageEncoding, altText } = barcode;
  const problems: string[] = [];
  if (typeof format !== 'string' || !formats.includes(format))
    problems.push(`${path}.format is none of ${formats.join(', ')}`);
  if (altText !== undefined && typeof altText !== 'string') problems.push(`${path}.altText is not a text`);
  if (typeof message !== 'string' || message === '') return [...problems, `${path}.message is not a text`];
  if (typeof messageEncoding !== 'string' || !isEncoding(messageEncoding)) {
    return [...problems, `${path}.messageEncoding names no encoding`];
  }
  const sizeBytes = encodedSize(message, messageEncoding.toLowerCase());
  if (sizeBytes === null) problems.push(`${path}.message cannot be written in ${messageEncoding}`);
  else if (sizeBytes > (capacities[String(format)] ?? Infinity))
    problems.push(`${path}.message does not fit a ${String(format)}`);
  return problems;
}

function formatName(name: string): string {
  return `PKBarcodeFormat${name}`;
}

function isEncoding(label: string): boolean {
  try {
    return new TextDecoder(label).encoding !== '';
  } catch {
    return false;
  }
}

/**
 * Returns the size of a message in bytes; null if the encoding cannot express it. Counts one byte per character for
 * unknown encodings.
 */
function encodedSize(message: string, encoding: string): number | null {
  const limit = highest[encoding];
  if (limit !== undefined) {
    return [...message].every((character) => (character.codePointAt(0) ?? 0) <= limit) ? message.length : null;
  }
  const isUtf = encoding.startsWith('utf');
  if (isUtf && /\p{Surrogate}/u.test(message)) return null;
  return isUtf ? Buffer.byteLength(message) : message.length;
}
