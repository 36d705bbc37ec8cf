import sharp, { type Sharp } from 'sharp';
import type { Fit, ImageExtension, ImageFile } from '../variants/image-file.js';
import { extensionOf, readHeader, requireStill } from './image-checks.js';
import { maxPixels, UnusableImage } from './image-limits.js';
import { withLowPriorityOnceLong } from './image-threads.js';

// Use one thread per image, so that the other cores can serve requests. Disable sharp's own cache.
sharp.concurrency(1);
sharp.cache(false);

/**
 * The time limit for reading an image from a caller, far longer than any normal image takes. Work on our own pixels has
 * no limit: its size is known, and it takes long only on a busy machine.
 */
const maxSeconds = 15;

/** The maximum width and height of a decoded image: larger than any generated size. */
const maxEdge = 2048;

/** A decoded image: 8-bit sRGB, upright, at most 2048 pixels wide and high. */
export interface DecodedImage {
  readonly pixels: Uint8Array;
  readonly width: number;
  readonly height: number;
  readonly channels: 1 | 2 | 3 | 4;
}

/** Decodes a whole PNG, JPEG or WebP. @throws UnusableImage */
export async function decode(bytes: Uint8Array): Promise<DecodedImage> {
  const { data, info } = await encodedFromCaller((await upright(bytes)).raw());
  return { pixels: data, width: info.width, height: info.height, channels: info.channels };
}

/** Reads the size of an image, turned upright, in pixels. Reads only the header. Returns null for an unusable image. */
export async function measured(bytes: Uint8Array): Promise<{ width: number; height: number } | null> {
  const metadata = await readHeader(bytes).catch(() => null);
  return metadata && { width: metadata.autoOrient.width, height: metadata.autoOrient.height };
}

/** Re-encodes an image from its pixels, in the same format. Drops everything else in the file. @throws UnusableImage */
export async function sanitised(bytes: Uint8Array): Promise<ImageFile> {
  const extension = extensionOf(bytes);
  const { pixels, ...raw } = await decode(bytes);
  const image = sharp(pixels, { raw });
  const anew = {
    png: () => image.png({ compressionLevel: 9 }),
    jpg: () => image.jpeg({ quality: 92, chromaSubsampling: '4:4:4' }),
    webp: () => image.webp({ quality: 92 }),
  }[extension]();
  const { data, info } = await encodedFromPixels(anew);
  return { bytes: data, extension, width: info.width, height: info.height };
}

/** Resizes an image. The same image always gives the same bytes. */
export async function resized(
  { pixels, width, height, channels }: DecodedImage,
  to: { readonly width: number; readonly height: number; readonly fit: Fit; readonly extension: ImageExtension },
): Promise<ImageFile> {
  const image = sharp(pixels, { raw: { width, height, channels } }).resize(to.width, to.height, {
    fit: to.fit === 'within' ? 'inside' : to.fit,
    withoutEnlargement: to.fit === 'within',
    background: { r: 0, g: 0, b: 0, alpha: 0 },
  });
  const { data, info } = await encoded(image, to.extension);
  return { bytes: data, extension: to.extension, width: info.width, height: info.height };
}

/** Decodes a small copy of a PNG, JPEG or WebP that fills the size. @throws UnusableImage */
export async function smallCopy(
  bytes: Uint8Array,
  { width, height }: { readonly width: number; readonly height: number },
): Promise<SmallCopy> {
  const image = (await upright(bytes)).resize(width, height, { fit: 'cover' });
  const { data } = await encodedFromCaller(image.ensureAlpha().raw());
  return { width, height, rgba: data };
}

/** The pixels of an image at a small size. */
export interface SmallCopy {
  readonly width: number;
  readonly height: number;
  /** Red, green, blue and alpha of each pixel, row by row. */
  readonly rgba: Uint8Array;
}

function encoded(image: Sharp, extension: ImageExtension): Promise<Encoded> {
  if (extension === 'webp') return encodedFromPixels(image.webp({ quality: 82 }));
  // JPEG has no transparency, so use a white background.
  if (extension === 'jpg')
    return encodedFromPixels(image.flatten({ background: '#fff' }).jpeg({ quality: 82, mozjpeg: true }));
  return smallestPng(image);
}

/** Renders one of our own SVGs as PNG. Never pass an SVG from a caller. @param scale pixels per point */
export async function rasterised(svg: string, scale: number): Promise<Buffer> {
  // An SVG point is a pixel at 72 dpi.
  const image = sharp(Buffer.from(svg), { density: 72 * scale, limitInputPixels: maxPixels }).png();
  return withLowPriorityOnceLong(() => image.toBuffer());
}

/**
 * Converts one of our WebP files to a PNG or JPEG of at most `width`, because previews cannot draw WebP.
 */
export async function drawable(webp: Uint8Array, width: number): Promise<ImageFile> {
  const image = sharp(webp, { limitInputPixels: maxPixels }).resize({ width, withoutEnlargement: true });
  const { hasAlpha } = await image.metadata();
  const extension = hasAlpha ? 'png' : 'jpg';
  const { data, info } = await encodedFromPixels(hasAlpha ? image.png() : image.jpeg({ quality: 82 }));
  return { bytes: data, extension, width: info.width, height: info.height };
}

/**
 * Encodes a PNG in true colour, or with a palette if that makes the file over 30 % smaller. A palette loses colours.
 */
async function smallestPng(image: Sharp): Promise<Encoded> {
  // Resize only once, and encode both variants from the resulting pixels.
  const { data, info } = await encodedFromPixels(image.raw());
  const { width, height, channels } = info;
  const small = () => sharp(data, { raw: { width, height, channels } });
  const palette = await encodedFromPixels(small().png({ palette: true, effort: 1 }));
  const trueColour = await encodedFromPixels(small().png());
  if (palette.data.length < trueColour.data.length * 0.7) return palette;
  // Use the slow compression only for the smaller of the two files.
  return encodedFromPixels(small().png({ compressionLevel: 9 }));
}

interface Encoded {
  readonly data: Buffer;
  readonly info: sharp.OutputInfo;
}

/** Runs the pipeline of an image from a caller. @throws UnusableImage */
async function encodedFromCaller(image: Sharp): Promise<Encoded> {
  try {
    return await encodedFromPixels(image.timeout({ seconds: maxSeconds }));
  } catch (error) {
    const isSlow = error instanceof Error && error.message.startsWith('timeout');
    throw new UnusableImage(isSlow ? `takes over ${maxSeconds} seconds to decode` : 'is damaged: it cannot be decoded');
  }
}

/** Runs the pipeline of an image that this service has decoded or made. */
function encodedFromPixels(image: Sharp): Promise<Encoded> {
  return withLowPriorityOnceLong(() => image.toBuffer({ resolveWithObject: true }));
}

/** Prepares an upright image, from which all sizes are generated. Does not decode it yet. */
async function upright(bytes: Uint8Array): Promise<Sharp> {
  requireStill(bytes, await readHeader(bytes));
  const image = sharp(bytes, { limitInputPixels: maxPixels, failOn: 'error' });
  return image.autoOrient().resize(maxEdge, maxEdge, { fit: 'inside', withoutEnlargement: true }).toColourspace('srgb');
}
