import fc from 'fast-check';
import { countScans } from './jpeg-scans.js';
import { jpegOfScans, twoHalves } from '@passwright/testing/images';

it('countScans counts the scans of baseline and progressive JPEG files', async () => {
  expect(countScans(await twoHalves().jpeg().toBuffer(), 100)).toBe(1);
  const progressive = await twoHalves().jpeg({ progressive: true }).toBuffer();
  expect(countScans(progressive, 100)).toBeGreaterThan(5);
  expect(countScans(await jpegOfScans(20), 100)).toBe(countScans(await jpegOfScans(0), 100) + 20);
});

it('countScans stops counting soon after the limit', async () => {
  expect(countScans(await jpegOfScans(500), 100)).toBe(101);
});

it('countScans does not count scans of a thumbnail in the metadata or scans after the end of the image', async () => {
  const thumbnail = await jpegOfScans(50);
  const exif = { IFD0: { ImageDescription: thumbnail.toString('latin1').replaceAll('\0', ' ') } };
  const file = await twoHalves().jpeg().withExif(exif).toBuffer();
  expect(countScans(Buffer.concat([file, thumbnail]), 100)).toBe(1);
});

it('countScans terminates for any bytes', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 2000 }), (bytes) => {
      expect(countScans(bytes, 100)).toBeLessThanOrEqual(101);
    }),
  );
});
