import type { RenderType } from '../model.js';

/**
 * The purpose of an Apple image. Packages never contain a background image, and only those of generic passes contain a
 * thumbnail. A package with artwork contains the logo twice: as `logo`, and as `primaryLogo` in the size for posters.
 */
export type ApplePurpose = 'icon' | 'logo' | 'banner' | 'thumbnail' | 'artwork' | 'primaryLogo';

/** The scales of each image in a package: pixels per point. */
export const appleScales = [1, 2, 3] as const;
export type AppleScale = (typeof appleScales)[number];

/** The file name of a template's image in a package, and its box in points. */
export interface AppleImageSlot {
  readonly purpose: ApplePurpose;
  /** The file name without scale and extension; see `appleImageFile`. */
  readonly baseName: 'icon' | 'logo' | 'strip' | 'thumbnail' | 'artwork' | 'primaryLogo';
  /** The maximum width and height in points. */
  readonly width: number;
  readonly height: number;
  /** The allowed shapes of the finished image, as width / height. The source is cropped to the closest one. */
  readonly ratio: { readonly min: number; readonly max: number };
}

const icon = box('icon', 'icon', 38, 38);
const logo: AppleImageSlot = { ...box('logo', 'logo', 160, 50), ratio: { min: 0, max: Infinity } };
const strip = box('banner', 'strip', 375, 144);
const eventStrip = box('banner', 'strip', 375, 98);
const thumbnail: AppleImageSlot = { ...box('thumbnail', 'thumbnail', 90, 90), ratio: { min: 2 / 3, max: 3 / 2 } };
const artwork = box('artwork', 'artwork', 358, 448);
const primaryLogo: AppleImageSlot = {
  ...box('primaryLogo', 'primaryLogo', 126, 30),
  ratio: { min: 1, max: Infinity },
};
/** The images of the poster style. A poster of an event would need NFC, so events have no posters. */
const poster = [artwork, primaryLogo];

const slots: Record<RenderType, readonly AppleImageSlot[]> = {
  offer: [icon, logo, strip, ...poster],
  event: [icon, logo, eventStrip],
  generic: [icon, logo, thumbnail, ...poster],
  membership: [icon, logo, strip, ...poster],
};

/**
 * Returns the images in a package of this type. Only the icon is mandatory. Devices draw a poster only if there is
 * artwork.
 * @see https://developer.apple.com/design/human-interface-guidelines/wallet
 */
export function appleImageSlots(type: RenderType): readonly AppleImageSlot[] {
  return slots[type];
}

/** Returns the name of a slot's image in the package: `icon.png`, `icon@2x.png`, `icon@3x.png`. */
export function appleImageFile(slot: AppleImageSlot, scale: AppleScale): string {
  return scale === 1 ? `${slot.baseName}.png` : `${slot.baseName}@${scale}x.png`;
}

/**
 * Returns the largest pixel size at `scale` that fits the slot's box and has an allowed aspect ratio, as close to the
 * source's as possible. To make the image, scale the source until it covers this size, and crop it around its centre.
 * The unit of `source` does not matter.
 */
export function appleImageSize(
  slot: AppleImageSlot,
  source: { readonly width: number; readonly height: number },
  scale: AppleScale,
): { width: number; height: number } {
  const ratio = Math.min(slot.ratio.max, Math.max(slot.ratio.min, source.width / source.height));
  const width = Math.min(slot.width, slot.height * ratio) * scale;
  const height = Math.min(slot.height, slot.width / ratio) * scale;
  return { width: Math.max(1, Math.round(width)), height: Math.max(1, Math.round(height)) };
}

function box(
  purpose: ApplePurpose,
  baseName: AppleImageSlot['baseName'],
  width: number,
  height: number,
): AppleImageSlot {
  return { purpose, baseName, width, height, ratio: { min: width / height, max: width / height } };
}
