import sharp, { type Sharp } from 'sharp';
import fc from 'fast-check';
import type { ImageFile } from '../variants/image-file.js';
import { type DecodedImage, decode, measured, resized, sanitised, smallCopy } from './image-codec.js';
import { UnusableImage } from './image-limits.js';
import { animation, jpegOfScans, pngChunk, pngClaiming, pngOf, twoHalves } from '@passwright/testing/images';

/** Returns the colour at a position, given as fractions of width and height. */
async function pixel(bytes: Uint8Array, x: number, y: number): Promise<number[]> {
  const { data, info } = await sharp(bytes)
    .ensureAlpha()
    .toColourspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true });
  const at = 4 * (Math.floor(y * info.height) * info.width + Math.floor(x * info.width));
  return [...data.subarray(at, at + 4)];
}
const near = (actual: number[], expected: number[], tolerance = 12) =>
  expect(actual.every((value, index) => Math.abs(value - (expected[index] ?? -99)) <= tolerance)).toBe(true);
const red = [255, 0, 0, 255];
const blue = [0, 0, 255, 255];
const icon = (decoded: DecodedImage) => resized(decoded, { width: 76, height: 38, fit: 'cover', extension: 'png' });

async function expectHalves(image: ImageFile, tolerance?: number): Promise<void> {
  near(await pixel(image.bytes, 0.25, 0.5), red, tolerance);
  near(await pixel(image.bytes, 0.75, 0.5), blue, tolerance);
}

it('the codec limits the time only for images from callers, not for sizes that it generates from their pixels', async () => {
  const limits = jest.spyOn(sharp.prototype as unknown as { timeout(): unknown }, 'timeout');
  const bytes = await twoHalves().png().toBuffer();
  const decoded = await decode(bytes);
  expect(limits).toHaveBeenCalledTimes(1);
  for (const extension of ['png', 'jpg', 'webp'] as const)
    await resized(decoded, { width: 76, height: 38, fit: 'cover', extension });
  expect(limits).toHaveBeenCalledTimes(1);
  limits.mockRestore();
});

it.each(['png', 'jpeg', 'webp'] as const)(
  'the codec limits the time of reading a %s image, not of encoding it',
  async (format) => {
    const bytes = await twoHalves().toFormat(format).toBuffer();
    const limits = jest.spyOn(sharp.prototype as unknown as { timeout(): Sharp }, 'timeout');
    const encoded = jest.spyOn(sharp.prototype as Sharp, format);
    await sanitised(bytes);
    const [limited, encoding] = [limits.mock.contexts, encoded.mock.contexts];
    expect([limited.length, encoding.length]).toEqual([1, 1]);
    expect(limited).not.toContain(encoding[0]);
    jest.restoreAllMocks();
  },
);

it.each([
  ['an opaque', (image: Sharp) => image],
  ['a transparent', (image: Sharp) => image.ensureAlpha(0.5)],
  ['a grey', (image: Sharp) => image.greyscale()],
])('the codec keeps the channels of %s image when it encodes it again', async (_, of) => {
  const bytes = await of(twoHalves()).png().toBuffer();
  const { channels, hasAlpha } = await sharp((await sanitised(bytes)).bytes).metadata();
  const before = await sharp(bytes).metadata();
  expect([channels, hasAlpha]).toEqual([before.channels, before.hasAlpha]);
});

describe('an accepted image', () => {
  it.each(['png', 'jpeg', 'webp'] as const)('the codec keeps the visible content of a %s image', async (format) => {
    const bytes = await twoHalves().toFormat(format).toBuffer();
    const decoded = await decode(bytes);
    expect([decoded.width, decoded.height]).toEqual([120, 60]);
    await expectHalves(await icon(decoded));
    await expectHalves(await sanitised(bytes));
  });

  it('the codec detects the format of an image from its content and keeps the format', async () => {
    const formats = await Promise.all(
      (['png', 'jpeg', 'webp'] as const).map(async (format) =>
        sanitised(await twoHalves().toFormat(format).toBuffer()),
      ),
    );
    expect(formats.map(({ extension }) => extension)).toEqual(['png', 'jpg', 'webp']);
    const stored = await Promise.all(formats.map(({ bytes }) => sharp(bytes).metadata()));
    expect(stored.map(({ format }) => format)).toEqual(['png', 'jpeg', 'webp']);
  });

  it('smallCopy scales an image to other proportions and keeps the transparency', async () => {
    const { rgba, width, height } = await smallCopy(await twoHalves().png().toBuffer(), { width: 4, height: 4 });
    expect([width, height, rgba.length]).toEqual([4, 4, 64]);
    near([...rgba.subarray(0, 4)], red);
    near([...rgba.subarray(60, 64)], blue);
    const clear = sharp({ create: { width: 8, height: 8, channels: 4, background: '#ffffff00' } });
    expect([...(await smallCopy(await clear.png().toBuffer(), { width: 1, height: 1 })).rgba].at(3)).toBe(0);
    const upright = await twoHalves().jpeg().withMetadata({ orientation: 6 }).toBuffer();
    near([...(await smallCopy(upright, { width: 4, height: 8 })).rgba.subarray(0, 4)], red);
  });

  it('the codec turns an image upright according to its EXIF orientation', async () => {
    const bytes = await twoHalves().jpeg().withMetadata({ orientation: 6 }).toBuffer();
    const decoded = await decode(bytes);
    expect([decoded.width, decoded.height]).toEqual([60, 120]);
    const stored = await sanitised(bytes);
    near(await pixel(stored.bytes, 0.5, 0.25), red);
    near(await pixel(stored.bytes, 0.5, 0.75), blue);
  });

  it('the codec removes metadata, such as the location, the camera, the colour profile and comments', async () => {
    const exif = { IFD0: { Copyright: 'secret' }, IFD3: { GPSLatitudeRef: 'N' } };
    const bytes = await twoHalves().jpeg().withExif(exif).withIccProfile('p3').toBuffer();
    const withText = Buffer.concat([
      (await pngOf()).subarray(0, 33),
      pngChunk('tEXt', Buffer.from('Comment\0secret')),
      (await pngOf()).subarray(33),
    ]);
    for (const file of [bytes, withText]) {
      expect(file.includes('secret')).toBe(true);
      const stored = await sanitised(file);
      expect(Buffer.from(stored.bytes).includes('secret')).toBe(false);
      const { exif: left, icc, comments } = await sharp(stored.bytes).metadata();
      expect([left, icc, comments]).toEqual([undefined, undefined, undefined]);
    }
  });

  it('the codec converts 16-bit, CMYK and grey images to 8-bit sRGB', async () => {
    const deep = await twoHalves().toColourspace('rgb16').png().toBuffer();
    expect((await sharp(deep).metadata()).depth).toBe('ushort');
    const print = await twoHalves().toColourspace('cmyk').jpeg().toBuffer();
    expect((await sharp(print).metadata()).space).toBe('cmyk');
    const grey = await twoHalves().greyscale().png().toBuffer();
    for (const bytes of [deep, print, grey]) {
      const { depth, space } = await sharp((await icon(await decode(bytes))).bytes).metadata();
      expect([depth, ['srgb', 'b-w'].includes(space)]).toEqual(['uchar', true]);
    }
    await expectHalves(await icon(await decode(deep)));
    // CMYK cannot represent the original colour exactly.
    const printed = await icon(await decode(print));
    near(await pixel(printed.bytes, 0.25, 0.5), red, 40);
    const [r = 255, , b = 0] = await pixel(printed.bytes, 0.75, 0.5);
    expect(b - r).toBeGreaterThan(80);
  });

  it('the codec keeps the transparency of an image', async () => {
    const clear = await sharp({
      create: { width: 50, height: 50, channels: 4, background: { r: 9, g: 9, b: 9, alpha: 0 } },
    })
      .png()
      .toBuffer();
    const { bytes } = await resized(await decode(clear), { width: 38, height: 38, fit: 'cover', extension: 'png' });
    expect((await pixel(bytes, 0.5, 0.5))[3]).toBe(0);
  });
});

describe('a rejected image', () => {
  const rejected = async (bytes: Uint8Array, why: RegExp) => {
    await expect(decode(bytes)).rejects.toThrow(UnusableImage);
    await expect(sanitised(bytes)).rejects.toThrow(why);
  };

  it.each(['gif', 'webp'] as const)('the codec rejects an animated %s image', async (format) => {
    await rejected(await animation(format), format === 'gif' ? /not a PNG, JPEG or WebP/ : /animated/);
  });

  it('the codec rejects an animated PNG', async () => {
    const png = await pngOf();
    const animated = Buffer.concat([
      png.subarray(0, 33),
      pngChunk('acTL', Buffer.from([0, 0, 0, 2, 0, 0, 0, 0])),
      png.subarray(33),
    ]);
    await rejected(animated, /animated/);
  });

  it.each([
    ['an SVG image', '<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"/>'],
    ['plain text', 'hello'],
    ['an empty file', ''],
    ['an HTML page', '<!doctype html><img src=x>'],
    ['a PDF file', '%PDF-1.7'],
  ])('the codec rejects %s', (_, content) => rejected(Buffer.from(content), /not a PNG, JPEG or WebP/));

  it.each(['png', 'jpeg', 'webp'] as const)('the codec rejects a truncated %s image', async (format) => {
    const noise = sharp({
      create: {
        width: 200,
        height: 200,
        channels: 3,
        background: '#888',
        noise: { type: 'gaussian', mean: 128, sigma: 60 },
      },
    });
    const bytes = await noise.toFormat(format).toBuffer();
    await rejected(bytes.subarray(0, bytes.length / 2), /damaged/);
  });

  it.each([
    ['wide', 10_001, 1],
    ['high', 1, 25_000_000],
    ['large on both sides', 60_000, 60_000],
  ])('the codec rejects an image of more than 10,000 pixels %s without decoding it', async (_, width, height) => {
    // Decoding would report a damaged file instead, because the file has no pixels.
    await rejected(pngClaiming(width, height), new RegExp(`${width} × ${height} pixels; at most 10,000 pixels a side`));
  });

  it('the codec rejects an image that would have more than 25 megapixels when decoded', async () => {
    await rejected(
      await sharp({ create: { width: 5001, height: 5000, channels: 3, background: '#fff' } })
        .png()
        .toBuffer(),
      /25 megapixels/,
    );
  });

  it('the codec rejects a JPEG with more than 100 scans, because every scan costs a pass over all pixels', async () => {
    await expect(decode(await jpegOfScans(91))).rejects.toThrow(/^has more than 100 scans;/);
    await expect(decode(await jpegOfScans(80))).resolves.toMatchObject({ width: 64, height: 32 });
  });

  it('the codec rejects a PNG with more than 1,000 chunks before its pixels, because each may cost a warning', async () => {
    const png = await pngOf();
    const withTexts = (count: number) => {
      const texts = Array.from({ length: count }, () => pngChunk('tEXt', Buffer.alloc(0)));
      return Buffer.concat([png.subarray(0, 33), ...texts, png.subarray(33)]);
    };
    await expect(sanitised(withTexts(1001))).rejects.toThrow(/^has more than 1,000 chunks before its pixels;/);
    expect(await measured(withTexts(1001))).toBeNull();
    await expect(sanitised(withTexts(990))).resolves.toMatchObject({ width: 120, height: 60 });
  });

  it('a damaged image file never crashes the process', async () => {
    const files = await Promise.all(
      (['png', 'jpeg', 'webp'] as const).map((format) => twoHalves(40, 20).toFormat(format).toBuffer()),
    );
    const damage = fc.tuple(fc.constantFrom(...files), fc.nat(), fc.integer({ min: 1, max: 255 }));
    await fc.assert(
      fc.asyncProperty(damage, async ([file, at, flip]) => {
        const bytes = Uint8Array.from(file);
        bytes[at % bytes.length]! ^= flip;
        const outcome = await sanitised(bytes).catch((error: unknown) => error);
        expect(outcome instanceof UnusableImage || 'bytes' in (outcome as ImageFile)).toBe(true);
      }),
    );
  });
});

describe('a size generated from an image', () => {
  it.each([
    ['cover', 76, 76],
    ['contain', 76, 76],
    ['within', 76, 38],
  ] as const)('an image that is resized with the fit "%s" has the requested size', async (fit, width, height) => {
    const image = await resized(await decode(await pngOf(240, 120)), { width: 76, height: 76, fit, extension: 'png' });
    expect([image.width, image.height]).toEqual([width, height]);
    await expectHalves(image);
  });

  it('the codec enlarges an image to cover a size, but not to fit within a size', async () => {
    const picture = await decode(await pngOf(20, 10));
    const [cover, within] = await Promise.all(
      (['cover', 'within'] as const).map((fit) => resized(picture, { width: 200, height: 100, fit, extension: 'png' })),
    );
    expect([cover?.width, cover?.height, within?.width, within?.height]).toEqual([200, 100, 20, 10]);
  });

  it('resizing the same image twice generates the same bytes', async () => {
    const picture = await decode(await twoHalves(700, 300).jpeg().toBuffer());
    const make = () =>
      Promise.all(
        (['png', 'webp'] as const).map((extension) =>
          resized(picture, { width: 375, height: 144, fit: 'cover', extension }),
        ),
      );
    expect(await make()).toEqual(await make());
  });

  it('resizing does not change flat colours', async () => {
    const { bytes } = await icon(await decode(await pngOf()));
    expect(await pixel(bytes, 0.1, 0.5)).toEqual(red);
    expect(await pixel(bytes, 0.9, 0.5)).toEqual(blue);
  });
});
