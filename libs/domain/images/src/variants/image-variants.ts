import {
  appleImageFile,
  appleImageSize,
  appleImageSlots,
  appleScales,
  type RenderType,
} from '@passwright/wallet-renderers';
import type { Fit, ImageExtension } from './image-file.js';
import type { PreparedFile, PreparedPurpose } from './prepared-image.js';

/**
 * The version of the sizes. Increase it with every change of a size, a fit or an encoding, so that the next save of an
 * image generates the sizes again.
 */
export const imageVariantsVersion = 2;

/** A file to generate from an image. */
export interface ImageSize {
  readonly wallet: PreparedFile['wallet'];
  readonly name: string;
  readonly width: number;
  readonly height: number;
  readonly fit: Fit;
  readonly extension: ImageExtension;
}

const png = { extension: 'png' } as const;
const google = { wallet: 'google', ...png } as const;
const web = { wallet: 'web', ...png } as const;

/**
 * The sizes for Google Wallet and the web. Google Wallet shows the logo in a circle and the hero image at full width.
 * Web views are at most as wide as a phone, in device pixels. `preview.jpg` is the preview of a shared link, in a shape
 * and format that every app can show.
 * @see https://developers.google.com/wallet/generic/resources/brand-guidelines
 * @see https://ogp.me/#structured
 */
const others: Record<PreparedPurpose, readonly ImageSize[]> = {
  icon: [
    { ...google, name: 'logo.png', width: 660, height: 660, fit: 'cover' },
    { ...web, name: 'icon.png', width: 192, height: 192, fit: 'cover' },
  ],
  logo: [
    { ...google, name: 'wide-logo.png', width: 1280, height: 400, fit: 'contain' },
    { ...web, name: 'logo.png', width: 480, height: 150, fit: 'within' },
  ],
  banner: [
    { ...google, name: 'hero.png', width: 1032, height: 336, fit: 'cover' },
    { ...web, name: 'banner.png', width: 1032, height: 336, fit: 'cover' },
    { wallet: 'web', name: 'preview.jpg', width: 1200, height: 630, fit: 'cover', extension: 'jpg' },
  ],
  background: [{ wallet: 'web', name: 'background.webp', width: 1080, height: 1920, fit: 'within', extension: 'webp' }],
  thumbnail: [{ ...web, name: 'thumbnail.png', width: 270, height: 270, fit: 'within' }],
  artwork: [{ wallet: 'web', name: 'artwork.webp', width: 1074, height: 1344, fit: 'cover', extension: 'webp' }],
  primaryLogo: [],
};

/**
 * Lists every size that a template's image needs. Apple's sizes are exact, at all three scales. A smaller source is
 * enlarged, as a device would enlarge it.
 */
export function imageSizes(
  purpose: PreparedPurpose,
  type: RenderType,
  source: { readonly width: number; readonly height: number },
): ImageSize[] {
  const slots = appleImageSlots(type).filter((slot) => slot.purpose === purpose);
  const apple = slots.flatMap((slot) =>
    appleScales.map((scale) => ({
      wallet: 'apple' as const,
      name: appleImageFile(slot, scale),
      ...appleImageSize(slot, source, scale),
      fit: 'cover' as const,
      ...png,
    })),
  );
  return [...apple, ...others[purpose]];
}
