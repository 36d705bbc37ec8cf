import type { WorkCase } from '@passwright/testing';
import { measured } from './processing/image-codec.js';
import { countScans } from './processing/jpeg-scans.js';

const bytes =
  (...repeated: number[]) =>
  (size: number) =>
    Buffer.concat([Buffer.from([0xff, 0xd8]), Buffer.from(Array.from({ length: size }, () => repeated).flat())]);
/** A PNG of many empty chunks. */
const png = (size: number) =>
  Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.from('0000000074455874'.repeat(size), 'hex')]);
/** A WebP of many empty chunks. */
const webp = (size: number) => Buffer.from(`RIFF\0\0\0\0WEBP${'VP8X\0\0\0\0'.repeat(size)}`, 'latin1');
const count = (jpeg: Uint8Array) => countScans(jpeg, Infinity);

/** The parsers of this package, each with the input that takes it the longest. */
export const cases: readonly WorkCase[] = [
  ['a JPEG of fill bytes', bytes(0xff), count],
  ['a JPEG of empty segments', bytes(0xff, 0xe0, 0, 2), count],
  ['a JPEG of scans', bytes(0xff, 0xda, 0, 2), count],
  ['a JPEG of zeros', bytes(0), count],
  ['the header of a JPEG', bytes(0xff, 0xe0, 0, 2), measured],
  ['the header of a PNG', png, measured],
  ['the header of a WebP', webp, measured],
];
