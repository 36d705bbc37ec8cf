import sharp from 'sharp';
import type { ImageExtension } from '../variants/image-file.js';
import { requireFewPixels, UnusableImage } from './image-limits.js';
import { countScans } from './jpeg-scans.js';
import { countChunks, isAnimatedPng } from './png-chunks.js';

/**
 * The maximum number of scans in a JPEG. Encoders write about ten, and a decoder processes all pixels once per scan.
 */
const maxScans = 100;

/** The maximum number of chunks before the pixels of a PNG. Encoders write fewer than 50. */
const maxChunks = 1000;

/** Reads the header of an image, and rejects an image that is not safe to decode. @throws UnusableImage */
export async function readHeader(bytes: Uint8Array): Promise<sharp.Metadata> {
  // Accept only the three formats that `extensionOf` knows, because the decoder supports many more.
  const extension = extensionOf(bytes);
  if (extension === 'jpg' && countScans(bytes, maxScans) > maxScans) {
    throw new UnusableImage(`has more than ${maxScans} scans; save it again as a JPEG with fewer, or as a PNG`);
  }
  if (extension === 'png' && countChunks(bytes, maxChunks) > maxChunks) {
    throw new UnusableImage('has more than 1,000 chunks before its pixels; save it again without metadata');
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
  const isAnimated = pages > 1 || (extensionOf(bytes) === 'png' && isAnimatedPng(bytes));
  if (isAnimated) throw new UnusableImage('is animated; send a still image');
}

/** Detects the format of an image from its content. @throws UnusableImage for a format that is not accepted */
export function extensionOf(bytes: Uint8Array): ImageExtension {
  const head = Buffer.from(bytes.subarray(0, 12)).toString('latin1');
  if (head.startsWith('\x89PNG\r\n\x1a\n')) return 'png';
  if (head.startsWith('\xff\xd8\xff')) return 'jpg';
  if (head.startsWith('RIFF') && head.endsWith('WEBP')) return 'webp';
  throw new UnusableImage('is not a PNG, JPEG or WebP image');
}
