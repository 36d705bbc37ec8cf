import { crc32, deflateSync } from 'node:zlib';
import { appleScales } from './image-sizes.js';
import type { PackageFile } from './package.js';

const sizePoints = 38;
const signature = Buffer.from('89504e470d0a1a0a', 'hex');
const grey = 0x8e;

/**
 * Returns a grey square in every scale, in place of a missing icon, because devices reject packages without an icon.
 */
export function neutralIcon(): PackageFile[] {
  return appleScales.map((scale) => ({
    name: scale === 1 ? 'icon.png' : `icon@${scale}x.png`,
    data: greySquare(sizePoints * scale),
  }));
}

/** Encodes a grey square as a PNG. @see https://www.w3.org/TR/png-3/ */
function greySquare(pixels: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(pixels, 0);
  header.writeUInt32BE(pixels, 4);
  // 8 bits per pixel, greyscale, the default compression and filter methods, not interlaced.
  header.set([8, 0, 0, 0, 0], 8);
  const row = Buffer.alloc(1 + pixels, grey);
  row[0] = 0;
  const rows = Buffer.concat(Array<Buffer>(pixels).fill(row));
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', deflateSync(rows)), chunk('IEND')]);
}

function chunk(type: string, data: Buffer = Buffer.alloc(0)): Buffer {
  const typed = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, crc] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  crc.writeUInt32BE(crc32(typed));
  return Buffer.concat([length, typed, crc]);
}
