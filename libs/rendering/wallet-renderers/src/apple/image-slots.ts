import type { RenderType } from '../model.js';

/** What an image of a template is for; its background and, but for a generic pass's, its thumbnail stay out of packages. */
export type ApplePurpose = 'icon' | 'logo' | 'banner' | 'thumbnail';

/** The scales a package carries each image in: pixels per point. */
export const appleScales = [1, 2, 3] as const;
export type AppleScale = (typeof appleScales)[number];

/** Where one image of a template goes in a package, and in which box of points. */
export interface AppleImageSlot {
  readonly purpose: ApplePurpose;
  /** File name without scale and extension; see `appleImageFile`. */
  readonly baseName: 'icon' | 'logo' | 'strip' | 'thumbnail';
  /** The largest width and height, in points. */
  readonly width: number;
  readonly height: number;
  /** The shapes, as width / height, that the finished image may have; the source is cut to the nearest of them. */
  readonly ratio: { readonly min: number; readonly max: number };
}

const icon = box('icon', 'icon', 38, 38);
const logo: AppleImageSlot = { ...box('logo', 'logo', 160, 50), ratio: { min: 0, max: Infinity } };
const strip = box('banner', 'strip', 375, 144);
const eventStrip = box('banner', 'strip', 375, 98);
const thumbnail: AppleImageSlot = { ...box('thumbnail', 'thumbnail', 90, 90), ratio: { min: 2 / 3, max: 3 / 2 } };

const slots: Record<RenderType, readonly AppleImageSlot[]> = {
  offer: [icon, logo, strip],
  event: [icon, logo, eventStrip],
  generic: [icon, logo, thumbnail],
  membership: [icon, logo, strip],
};

/**
 * The images a package of this type carries. Only the icon is mandatory: a slot whose image the template lacks is
 * left out, and devices then draw the pass without it.
 * @see https://developer.apple.com/design/human-interface-guidelines/wallet
 */
export function appleImageSlots(type: RenderType): readonly AppleImageSlot[] {
  return slots[type];
}

/** The name of a slot's image in the package: `icon.png`, `icon@2x.png`, `icon@3x.png`. */
export function appleImageFile(slot: AppleImageSlot, scale: AppleScale): string {
  return scale === 1 ? `${slot.baseName}.png` : `${slot.baseName}@${scale}x.png`;
}

/**
 * The size in pixels of a slot's image made from a source of the given size (any unit): the largest that lies in the
 * slot's box at `scale` and has the source's shape, as far as the slot's ratio allows. Resize to it with a centred
 * cover: only what the ratio forbids is cut off, nothing is padded.
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
