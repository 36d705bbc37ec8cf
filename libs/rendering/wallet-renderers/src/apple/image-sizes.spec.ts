import fc from 'fast-check';
import { renderTypes } from '../render.fixtures.js';
import { appleImageFile, appleImageSize, appleImageSlots, appleScales } from './image-sizes.js';
import type { ApplePurpose } from './image-sizes.js';

const photo = { width: 4000, height: 3000 };

it.each([
  ['offer', ['icon', 'logo', 'banner', 'artwork', 'primaryLogo']],
  ['event', ['icon', 'logo', 'banner']],
  ['generic', ['icon', 'logo', 'thumbnail', 'artwork', 'primaryLogo']],
  ['membership', ['icon', 'logo', 'banner', 'artwork', 'primaryLogo']],
] as const)('a package of type %s contains exactly the images %j', (type, purposes) => {
  expect(appleImageSlots(type).map(({ purpose }) => purpose)).toEqual(purposes);
});

it.each([
  ['offer', 'icon', ['icon.png 38x38', 'icon@2x.png 76x76', 'icon@3x.png 114x114']],
  ['offer', 'banner', ['strip.png 375x144', 'strip@2x.png 750x288', 'strip@3x.png 1125x432']],
  ['membership', 'banner', ['strip.png 375x144', 'strip@2x.png 750x288', 'strip@3x.png 1125x432']],
  ['event', 'banner', ['strip.png 375x98', 'strip@2x.png 750x196', 'strip@3x.png 1125x294']],
  ['generic', 'thumbnail', ['thumbnail.png 90x68', 'thumbnail@2x.png 180x135', 'thumbnail@3x.png 270x203']],
  ['generic', 'logo', ['logo.png 67x50', 'logo@2x.png 133x100', 'logo@3x.png 200x150']],
  ['offer', 'artwork', ['artwork.png 358x448', 'artwork@2x.png 716x896', 'artwork@3x.png 1074x1344']],
  ['generic', 'primaryLogo', ['primaryLogo.png 40x30', 'primaryLogo@2x.png 80x60', 'primaryLogo@3x.png 120x90']],
] as const)('a pass of type %s with a 4:3 photo as its %s has the files %j', (type, purpose, files) => {
  expect(described(type, purpose, photo)).toEqual(files);
});

it.each([
  ['a wide logo is never cut', 'logo', { width: 800, height: 100 }, '160x20'],
  ['a square logo is never padded', 'logo', { width: 512, height: 512 }, '50x50'],
  ['a portrait is at most 2:3', 'thumbnail', { width: 100, height: 400 }, '60x90'],
  ['a panorama is at most 3:2', 'thumbnail', { width: 400, height: 100 }, '90x60'],
  ['a wide logo of a poster is never cut', 'primaryLogo', { width: 800, height: 100 }, '126x16'],
  ['a tall logo of a poster is square', 'primaryLogo', { width: 100, height: 400 }, '30x30'],
] as const)('appleImageSize follows this rule: %s', (_, purpose, source, size) => {
  expect(described('generic', purpose, source)[0]).toBe(`${purpose}.png ${size}`);
});

it("every finished image fits inside its box and has the box's width or height", () => {
  const side = fc.integer({ min: 1, max: 20_000 });
  fc.assert(
    fc.property(
      fc.constantFrom(...renderTypes),
      fc.constantFrom(...appleScales),
      side,
      side,
      (type, scale, width, height) => {
        for (const slot of appleImageSlots(type)) {
          const size = appleImageSize(slot, { width, height }, scale);
          expect(Number.isInteger(size.width) && Number.isInteger(size.height)).toBe(true);
          expect(Math.min(size.width, size.height)).toBeGreaterThanOrEqual(1);
          expect(size.width).toBeLessThanOrEqual(slot.width * scale);
          expect(size.height).toBeLessThanOrEqual(slot.height * scale);
          expect(size.width === slot.width * scale || size.height === slot.height * scale).toBe(true);
        }
      },
    ),
  );
});

function described(
  type: (typeof renderTypes)[number],
  purpose: ApplePurpose,
  source: { width: number; height: number },
) {
  const slot = appleImageSlots(type).find((each) => each.purpose === purpose)!;
  return appleScales.map((scale) => {
    const { width, height } = appleImageSize(slot, source, scale);
    return `${appleImageFile(slot, scale)} ${width}x${height}`;
  });
}
