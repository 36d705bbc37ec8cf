import { imageSizes } from './image-variants.js';
import { imagePurposes } from './prepared-image.js';

const source = { width: 2000, height: 1000 };
const apple = (...of: Parameters<typeof imageSizes>) =>
  Object.fromEntries(
    imageSizes(...of)
      .filter(({ wallet }) => wallet === 'apple')
      .map(({ name, width, height }) => [name, `${width}x${height}`]),
  );

it('imageSizes generates the images of a package at all three scales', () => {
  expect(apple('icon', 'offer', source)).toEqual({
    'icon.png': '38x38',
    'icon@2x.png': '76x76',
    'icon@3x.png': '114x114',
  });
  const strip = { 'strip.png': '375x144', 'strip@2x.png': '750x288', 'strip@3x.png': '1125x432' };
  expect(apple('banner', 'offer', source)).toEqual(strip);
  expect(apple('banner', 'membership', source)).toEqual(strip);
  expect(apple('banner', 'event', source)).toEqual({
    'strip.png': '375x98',
    'strip@2x.png': '750x196',
    'strip@3x.png': '1125x294',
  });
});

it('imageSizes generates the images of a poster at all three scales, but not for an event', () => {
  expect(apple('artwork', 'membership', source)).toEqual({
    'artwork.png': '358x448',
    'artwork@2x.png': '716x896',
    'artwork@3x.png': '1074x1344',
  });
  expect(apple('primaryLogo', 'generic', source)).toEqual({
    'primaryLogo.png': '60x30',
    'primaryLogo@2x.png': '120x60',
    'primaryLogo@3x.png': '180x90',
  });
  expect(imageSizes('primaryLogo', 'generic', source)).toHaveLength(3);
  for (const purpose of ['artwork', 'primaryLogo'] as const) expect(apple(purpose, 'event', source)).toEqual({});
});

it('imageSizes generates only the package images that passes of the template’s type show', () => {
  expect(apple('banner', 'generic', source)).toEqual({});
  expect(apple('thumbnail', 'offer', source)).toEqual({});
  expect(Object.keys(apple('thumbnail', 'generic', source))).toHaveLength(3);
  expect(apple('background', 'event', source)).toEqual({});
});

it('a logo is never cropped', () => {
  for (const [width, height] of [
    [2000, 100],
    [100, 2000],
    [300, 300],
  ] as const) {
    const sizes = imageSizes('logo', 'offer', { width, height }).filter(({ wallet }) => wallet === 'apple');
    for (const size of sizes)
      expect(Math.abs(size.width / size.height - width / height) * size.height).toBeLessThan(size.width * 0.2 + 1);
  }
});

it('imageSizes generates the images of Google Wallet in the sizes that Google asks for, for any source', () => {
  const google = (purpose: Parameters<typeof imageSizes>[0], width: number, height: number) =>
    imageSizes(purpose, 'generic', { width, height })
      .filter(({ wallet }) => wallet === 'google')
      .map((size) => `${size.extension} ${size.width}x${size.height} ${size.fit}`);
  for (const [width, height] of [
    [2000, 1000],
    [10, 400],
  ] as const) {
    expect(google('icon', width, height)).toEqual(['png 660x660 cover']);
    // Cropping could cut off the text of a logo.
    expect(google('logo', width, height)).toEqual(['png 1280x400 contain']);
    expect(google('banner', width, height)).toEqual(['png 1032x336 cover']);
  }
});

it('imageSizes generates a web size of every image, but Google sizes only of icon, logo and banner', () => {
  for (const purpose of imagePurposes) {
    const wallets = imageSizes(purpose, 'generic', source).map(({ wallet }) => wallet);
    expect(wallets).toContain('web');
    expect(wallets.includes('google')).toBe(['icon', 'logo', 'banner'].includes(purpose));
  }
});
