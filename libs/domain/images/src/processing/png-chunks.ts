/** PNG chunk types as numbers, which are fast to compare: a file may have hundreds of thousands of chunks. */
const animationControl = Buffer.from('acTL').readUInt32BE();
const imageData = Buffer.from('IDAT').readUInt32BE();

/**
 * Counts the chunks of a PNG before its pixels, up to `limit` + 1. For each chunk that is malformed or repeated, the
 * decoder queues a warning, and sharp emits all of them in one turn of the event loop.
 */
export function countChunks(png: Uint8Array, limit: number): number {
  let count = 0;
  for (const _type of typesBeforePixels(png)) if (++count > limit) break;
  return count;
}

/**
 * Returns true for an animated PNG, which has an `acTL` chunk before its pixels. Decoders that do not support animation
 * show the first frame.
 */
export function isAnimatedPng(png: Uint8Array): boolean {
  for (const type of typesBeforePixels(png)) if (type === animationControl) return true;
  return false;
}

function* typesBeforePixels(bytes: Uint8Array): Generator<number> {
  const png = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 8; at + 8 <= png.length; at += 12 + png.readUInt32BE(at)) {
    const type = png.readUInt32BE(at + 4);
    if (type === imageData) return;
    yield type;
  }
}
