import sharp, { type Sharp } from 'sharp';
import type { Fit, ImageExtension, ImageFile } from '../variants/image-file.js';
import { countScans } from './jpeg-scans.js';

// Each picture is made by one thread, so that a queue of them leaves the machine to the requests; and none is kept.
sharp.concurrency(1);
sharp.cache(false);

/** An image file is at most this large, uploaded or fetched. */
export const maxImageBytes = 5 * 1024 * 1024;

const maxPixels = 25_000_000;

/** Decoding takes the longer the more uneven the edges are: a row of 25 million pixels takes ten times its share. */
const maxSourceEdge = 10_000;

/** Encoders write about ten scans; each takes a pass over all pixels. */
const maxScans = 100;

/** No honest image takes nearly as long. Ends work on pixels; what comes before the first of them has limits of its own. */
const maxSeconds = 15;

/** Larger than any size made from it; what goes beyond is weight that nothing shows. */
const maxEdge = 2048;

/** Why an image cannot be used: a clause whose subject is the image, such as `is animated`. */
export class UnusableImage extends Error {}

/** A decoded image: 8-bit sRGB, upright, at most 2048 pixels wide and high. */
export interface DecodedImage {
  readonly pixels: Uint8Array;
  readonly width: number;
  readonly height: number;
  readonly channels: 1 | 2 | 3 | 4;
}

/** Decodes a PNG, JPEG or WebP, all of it. @throws UnusableImage */
export async function decode(bytes: Uint8Array): Promise<DecodedImage> {
  const { data, info } = await whole((await upright(bytes)).raw());
  return { pixels: data, width: info.width, height: info.height, channels: info.channels };
}

/** The size of an upright image in pixels, read from its head without decoding it; null when it has none. */
export async function measured(bytes: Uint8Array): Promise<{ width: number; height: number } | null> {
  const metadata = await header(bytes).catch(() => null);
  return metadata && { width: metadata.autoOrient.width, height: metadata.autoOrient.height };
}

/** The image anew from its pixels, in its format: nothing else that the file held is in it. @throws UnusableImage */
export async function sanitised(bytes: Uint8Array): Promise<ImageFile> {
  const extension = extensionOf(bytes);
  const image = await upright(bytes);
  const anew = {
    png: () => image.png({ compressionLevel: 9 }),
    jpg: () => image.jpeg({ quality: 92, chromaSubsampling: '4:4:4' }),
    webp: () => image.webp({ quality: 92 }),
  }[extension]();
  const { data, info } = await whole(anew);
  return { bytes: data, extension, width: info.width, height: info.height };
}

/** The picture at another size. The same picture gives the same bytes. */
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

function encoded(image: Sharp, extension: ImageExtension): Promise<Encoded> {
  if (extension === 'webp') return whole(image.webp({ quality: 82 }));
  // What has no transparency is put on white.
  if (extension === 'jpg') return whole(image.flatten({ background: '#fff' }).jpeg({ quality: 82, mozjpeg: true }));
  return smallestPng(image);
}

/** A drawing of ours as PNG. @param scale pixels per point. What the drawing holds is ours: nothing else may be. */
export async function rasterised(svg: string, scale: number): Promise<Buffer> {
  // A point of SVG is a pixel at 72 to the inch.
  return sharp(Buffer.from(svg), { density: 72 * scale, limitInputPixels: maxPixels })
    .png()
    .toBuffer();
}

/** One of our WebP files as a PNG or JPEG of at most that width: drawings show no WebP. @throws UnusableImage */
export async function drawable(webp: Uint8Array, width: number): Promise<ImageFile> {
  const image = sharp(webp, { limitInputPixels: maxPixels }).resize({ width, withoutEnlargement: true });
  const { hasAlpha } = await image.metadata();
  const extension = hasAlpha ? 'png' : 'jpg';
  const { data, info } = await whole(hasAlpha ? image.png() : image.jpeg({ quality: 82 }));
  return { bytes: data, extension, width: info.width, height: info.height };
}

/** A palette costs true colours, so it must save over 30 %. */
async function smallestPng(image: Sharp): Promise<Encoded> {
  // Brought to its size once, and encoded from there: a few pixels are copied, not those of the whole picture.
  const { data, info } = await whole(image.raw());
  const { width, height, channels } = info;
  const small = () => sharp(data, { raw: { width, height, channels } });
  const palette = await whole(small().png({ palette: true, effort: 1 }));
  const trueColour = await whole(small().png());
  if (palette.data.length < trueColour.data.length * 0.7) return palette;
  // The slow search for the last few per cent, only where its result is used.
  return whole(small().png({ compressionLevel: 9 }));
}

interface Encoded {
  readonly data: Buffer;
  readonly info: sharp.OutputInfo;
}

async function whole(image: Sharp): Promise<Encoded> {
  try {
    return await image.timeout({ seconds: maxSeconds }).toBuffer({ resolveWithObject: true });
  } catch (error) {
    const isSlow = error instanceof Error && error.message.startsWith('timeout');
    throw new UnusableImage(isSlow ? `takes over ${maxSeconds} seconds to decode` : 'is damaged: it cannot be decoded');
  }
}

/** The image in the form that all others are made from; not decoded yet. */
async function upright(bytes: Uint8Array): Promise<Sharp> {
  const { pages = 1 } = await header(bytes);
  if (pages > 1 || isAnimatedPng(bytes)) throw new UnusableImage('is animated; send a still image');
  const image = sharp(bytes, { limitInputPixels: maxPixels, failOn: 'error' });
  return image.autoOrient().resize(maxEdge, maxEdge, { fit: 'inside', withoutEnlargement: true }).toColourspace('srgb');
}

/** Reads the head of an image that is safe to decode. @throws UnusableImage */
async function header(bytes: Uint8Array): Promise<sharp.Metadata> {
  // Of the many formats that the decoder knows, these three are let in.
  if (extensionOf(bytes) === 'jpg' && countScans(bytes, maxScans) > maxScans) {
    throw new UnusableImage(`has more than ${maxScans} scans; save it anew as a JPEG with fewer, or as a PNG`);
  }
  // Without a limit of pixels, or the error would not tell a large image from a damaged one.
  const metadata = await sharp(bytes, { limitInputPixels: false, failOn: 'error' })
    .metadata()
    .catch(() => {
      throw new UnusableImage('is damaged: its header cannot be read');
    });
  const { width, height } = metadata;
  if (width > maxSourceEdge || height > maxSourceEdge) {
    throw new UnusableImage(
      `has ${width} × ${height} pixels; at most ${maxSourceEdge.toLocaleString('en')} pixels a side are taken`,
    );
  }
  if (width * height > maxPixels) {
    throw new UnusableImage(`has ${width} × ${height} pixels; at most 25 megapixels are taken`);
  }
  return metadata;
}

function extensionOf(bytes: Uint8Array): ImageExtension {
  const head = Buffer.from(bytes.subarray(0, 12)).toString('latin1');
  if (head.startsWith('\x89PNG\r\n\x1a\n')) return 'png';
  if (head.startsWith('\xff\xd8\xff')) return 'jpg';
  if (head.startsWith('RIFF') && head.endsWith('WEBP')) return 'webp';
  throw new UnusableImage('is not a PNG, JPEG or WebP image');
}

/** Chunk types of PNG, as numbers: a file may have hundreds of thousands of chunks. */
const animationControl = Buffer.from('acTL').readUInt32BE();
const imageData = Buffer.from('IDAT').readUInt32BE();

/** An animated PNG says so in a chunk before its pixels; a decoder that does not know the chunk shows the first frame. */
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
