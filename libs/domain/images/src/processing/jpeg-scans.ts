const MARKER = 0xff;
const START_OF_SCAN = 0xda;
const END_OF_IMAGE = 0xd9;

/**
 * Counts the scans of a JPEG file, up to `limit` + 1. A decoder processes every pixel once per scan, and thousands of
 * scans fit into a small file. Skips segments by their length, so thumbnails in metadata do not count.
 */
export function countScans(jpeg: Uint8Array, limit: number): number {
  let scans = 0;
  for (let at = 2; at + 4 <= jpeg.length && scans <= limit; at += 1) {
    if (jpeg[at] !== MARKER) continue;
    const marker = jpeg[at + 1] as number;
    if (marker === END_OF_IMAGE) break;
    if (marker === START_OF_SCAN) scans += 1;
    if (hasLength(marker)) at += 1 + (jpeg[at + 2] as number) * 256 + (jpeg[at + 3] as number);
  }
  return scans;
}

/**
 * Returns true if a length follows the marker. Escaped bytes of a scan, fill bytes, restart markers and the start of an
 * image have no length.
 */
function hasLength(marker: number): boolean {
  return marker > 1 && marker !== MARKER && !(marker >= 0xd0 && marker <= 0xd8);
}
