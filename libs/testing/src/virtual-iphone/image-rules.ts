import { crc32 } from 'node:zlib';

const SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
const HEADER_CHUNK = Buffer.from('\x00\x00\x00\x0dIHDR', 'latin1');
const END_CHUNK = Buffer.from('\x00\x00\x00\x00IEND\xae\x42\x60\x82', 'latin1');
const headerSize = 33;

/**
 * Finds errors in the images of a package. Phones reject a package without an icon. Every `.png` file must be a PNG.
 * @see https://developer.apple.com/documentation/walletpasses/creating-the-source-for-a-pass
 */
export function imageProblems(files: ReadonlyMap<string, Buffer>): string[] {
  const names = [...files.keys()];
  const hasIcon = names.some((name) => /^([^/]+\.lproj\/)?icon(@[23]x)?\.png$/.test(name));
  const images = [...files].filter(([name]) => name.toLowerCase().endsWith('.png'));
  return [
    ...(hasIcon ? [] : ['icon.png, icon@2x.png or icon@3x.png is missing']),
    ...images.flatMap(([name, bytes]) => (isPng(bytes) ? [] : [`"${name}" is no PNG`])),
  ];
}

/** Returns true if the bytes have the header and the end of a PNG. */
function isPng(bytes: Buffer): boolean {
  if (bytes.length < headerSize + END_CHUNK.length || !bytes.subarray(0, 8).equals(SIGNATURE)) return false;
  if (!bytes.subarray(8, 16).equals(HEADER_CHUNK)) return false;
  const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
  const isIntact = crc32(bytes.subarray(12, 29)) === bytes.readUInt32BE(29);
  return width > 0 && height > 0 && isIntact && bytes.subarray(-END_CHUNK.length).equals(END_CHUNK);
}
