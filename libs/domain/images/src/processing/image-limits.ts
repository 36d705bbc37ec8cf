/** Maximum size of an image file in bytes, uploaded or fetched. */
export const maxImageBytes = 5 * 1024 * 1024;

/** Maximum number of pixels of a source image. */
export const maxPixels = 25_000_000;

/**
 * The maximum width and height of a source image. A single row of 25 million pixels takes ten times as long to decode
 * as a square with the same number of pixels.
 */
const maxSourceEdge = 10_000;

/** An image that cannot be used. The message is a clause whose subject is the image, such as `is animated`. */
export class UnusableImage extends Error {}

/** Rejects an image that would take too long to decode. @throws UnusableImage */
export function requireFewPixels({ width, height }: { readonly width: number; readonly height: number }): void {
  if (width > maxSourceEdge || height > maxSourceEdge) {
    throw new UnusableImage(
      `has ${width} × ${height} pixels; at most ${maxSourceEdge.toLocaleString('en')} pixels a side are taken`,
    );
  }
  if (width * height > maxPixels) {
    throw new UnusableImage(`has ${width} × ${height} pixels; at most 25 megapixels are taken`);
  }
}
