import sharp from 'sharp';
import type { ImageExtension } from '../variants/image-file.js';
import { requireFewPixels, UnusableImage } from './image-limits.js';
import { countScans } from './jpeg-scans.js';

/**
 * The maximum number of scans in a JPEG. Encoders write about ten, and a decoder processes all pixels once per scan.
 */
const maxScans = 100;

/** Reads the header of an image, and rejects an image that is not safe to decode. @throws UnusableImage */
export async function readHeader(bytes: Uint8Array): Promise<sharp.Metadata> {
  // Accept only the three formats that `extensionOf` knows, because the decoder supports many more.
  if (extensionOf(bytes) === 'jpg' && countScans(bytes, maxScans) > maxScans) {
    throw new UnusableImage(`has more than ${maxScans} scans; save it again as a JPEG with fewer, or as a PNG`);
  }
  // Do not limit pixels here, because the error would look the same for a large image and a damaged one.
  const metadata = await sharp(bytes, { limitInputPixels: false, failOn: 'error' })
    .metadata()
    .catch(() => {
      throw new UnusableImage('is damaged: its header cannot be read');
    });
  requireFewPixels(metadata);
  return metadata;
}

/** Rejects an animated image. @param header the result of `readHeader` @throws UnusableImage */
export function requireStill(bytes: Uint8Array, { pages = 1 }: sharp.Metadata): void {
  if (pages > 1 || isAnimatedPng(bytes)) throw new UnusableImage('is animated; send a still image');
}

/** Detects the format of an image from its content. @throws UnusableImage for a format that is not accepted */
export function extensionOf(bytes: Uint8Array): ImageExtension {
  const head = Buffer.from(bytes.subarray(0, 12)).toString('latin1');
  if (head.startsWith('\x89PNG\r\n\x1a\n')) return 'png';
  if (head.startsWith('\xff\xd8\xff')) return 'jpg';
  if (head.startsWith('RIFF') && head.endsWith('WEBP')) return 'webp';
  throw new UnusableImage('is not a PNG, JPEG or WebP image');
}

/** PNG chunk types as numbers, which are fast to compare: a file may have hundreds of thousands of chunks. */
const animationControl = Buffer.from('acTL').readUInt32BE();
const imageData = Buffer.from('IDAT').readUInt32BE();

/**
 * Returns true for an animated PNG, which has an `acTL` chunk before its pixels. Decoders that do not support animation
 * show the first frame.
 */
function isAnimatedPng(bytes: Uint8Array): boolean {
  if (extensionOf(bytes) !== 'png') return false;
  const png = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 8; at + 8 <= png.length; at += 12 + png.readUInt32BE(at)) {
    const type = png.readUInt32BE(at + 4);
    if (type === animationControl) return true;
    if (type === imageData) return false;
  }
  return false;
}
