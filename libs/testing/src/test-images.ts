import sharp, { type Sharp } from 'sharp';

/**
 * Returns an image with a red left half and a blue right half, which reveals any rotation, reflection or distortion.
 */
export function twoHalves(width = 120, height = 60, channels: 3 | 4 = 3): Sharp {
  const blue = { create: { width: Math.floor(width / 2), height, channels: 3 as const, background: '#0000ff' } };
  const red = sharp({ create: { width, height, channels, background: '#ff0000' } });
  return red.composite([{ input: blue, left: Math.ceil(width / 2), top: 0 }]);
}

/** Returns a valid PNG file. */
export function pngOf(width = 120, height = 60): Promise<Buffer> {
  return twoHalves(width, height).png().toBuffer();
}

/** Returns an animation of two frames. */
export async function animation(format: 'gif' | 'webp'): Promise<Buffer> {
  const frame = (background: string) =>
    sharp({ create: { width: 16, height: 16, channels: 3, background } })
      .png()
      .toBuffer();
  const frames = await Promise.all([frame('#ff0000'), frame('#0000ff')]);
  return sharp(frames, { join: { animated: true } })
    .toFormat(format)
    .toBuffer();
}

/** Builds one chunk of a PNG file. */
export function pngChunk(type: string, data: Buffer): Buffer {
  const chunk = Buffer.alloc(12 + data.length);
  chunk.writeUInt32BE(data.length, 0);
  chunk.write(type, 4, 'latin1');
  data.copy(chunk, 8);
  chunk.writeUInt32BE(crc32(chunk.subarray(4, 8 + data.length)), 8 + data.length);
  return chunk;
}

/** Builds a PNG file without pixels whose header claims a size. */
export function pngClaiming(width: number, height: number): Buffer {
  const header = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, 2, 0, 0, 0]);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
  return Buffer.concat([
    signature,
    pngChunk('IHDR', header),
    pngChunk('IDAT', Buffer.from([120, 156])),
    pngChunk('IEND', Buffer.alloc(0)),
  ]);
}

function crc32(bytes: Buffer): number {
  let crc = ~0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return ~crc >>> 0;
}

/** Builds a progressive JPEG with many additional scans that change nothing. */
export async function jpegOfScans(added: number): Promise<Buffer> {
  const whole = await twoHalves(64, 32).jpeg({ progressive: true, chromaSubsampling: '4:4:4' }).toBuffer();
  const end = whole.length - 2;
  // The table has a single code, for a run of empty blocks: 16,384 plus the number in 14 more bits.
  const table = Buffer.from([0xff, 0xc4, 0, 20, 0x10, 1, ...Array<number>(15).fill(0), 0xe0]);
  const blocks = Buffer.from([0b00000000, 0b00000001]);
  const scan = (coefficient: number) =>
    Buffer.from([0xff, 0xda, 0, 8, 1, 1, 0, coefficient, coefficient, 0x10, ...blocks]);
  const scans = Array.from({ length: added }, (_, index) => scan(1 + (index % 63)));
  return Buffer.concat([whole.subarray(0, end), table, ...scans, whole.subarray(end)]);
}
