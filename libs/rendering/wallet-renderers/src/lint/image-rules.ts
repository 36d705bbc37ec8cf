import { type AppleImageSlot, appleImageSize, appleImageSlots } from '../apple/image-sizes.js';
import type { RenderTemplate } from '../model.js';
import { imageKey, localisedPurposes } from '../translations/localised-images.js';
import type { ExaminedImage, ExaminedImages, Facts, Problem, Rule } from '../finding.js';
import { problemIf, translationPath } from '../problem-text.js';

interface Size {
  readonly width: number;
  readonly height: number;
}

interface NamedImage {
  readonly purpose: keyof Omit<ExaminedImages, 'passThumbnail' | 'localised'>;
  /** The path of the image's address in the template or the pass. */
  readonly path: string;
  readonly image: ExaminedImage;
}

interface SlotImage {
  readonly slot: AppleImageSlot;
  readonly path: string;
  readonly size: Size;
}

/** Returns the images of known size that a package of the type contains. */
function slotImages({ type }: RenderTemplate, named: readonly NamedImage[]): SlotImage[] {
  const slots = new Map<string, AppleImageSlot>(appleImageSlots(type).map((slot) => [slot.purpose, slot]));
  return named.flatMap(({ purpose, path, image }) => {
    // Skip `primaryLogo`, because it is made from the logo, which is checked.
    const slot = slots.get(purpose);
    return slot && image !== null && image !== 'missing' ? [{ slot, path, size: image }] : [];
  });
}

/** Lists the images of a template: first its own images, then the images for each language. */
function imagesOfTemplate(images: ExaminedImages | null): NamedImage[] {
  const own = (['icon', 'logo', 'banner', 'background', 'thumbnail', 'artwork'] as const).flatMap((purpose) => {
    const image = images?.[purpose];
    return image === undefined ? [] : [{ purpose, path: purpose, image }];
  });
  return [...own, ...localisedImages(images)];
}

/** Lists the images of a template in other languages. */
export function localisedImages(images: ExaminedImages | null): (NamedImage & { readonly language: string })[] {
  return Object.entries(images?.localised ?? {}).flatMap(([language, own]) =>
    localisedPurposes.flatMap((purpose) => {
      const image = own[purpose];
      const path = translationPath(language, imageKey(purpose));
      return image === undefined ? [] : [{ language, purpose, path, image }];
    }),
  );
}

/** Lists the thumbnail of a pass. */
function imagesOfPass(images: ExaminedImages | null): NamedImage[] {
  const image = images?.passThumbnail;
  return image === undefined ? [] : [{ purpose: 'thumbnail', path: 'thumbnail', image }];
}

/** Builds a check of each image of known size, in a template and in a pass. */
function eachImage(check: (image: SlotImage) => readonly Problem[]): Pick<Rule, 'template' | 'pass'> {
  return {
    template: (template, { images }) => slotImages(template, imagesOfTemplate(images)).flatMap(check),
    pass: (_, template, { images }) => slotImages(template, imagesOfPass(images)).flatMap(check),
  };
}

/** Returns the ratio of the size of a source to the finished size. A ratio below 1 means that the image is enlarged. */
function filled({ slot, size }: SlotImage, scale: 2 | 3): number {
  const target = appleImageSize(slot, size, scale);
  return Math.min(size.width / target.width, size.height / target.height);
}

function belowScale(scale: 2 | 3) {
  return (image: SlotImage): Problem[] => {
    const target = appleImageSize(image.slot, image.size, scale);
    const isTooSmall = filled(image, scale) < 1 && (scale === 2 || filled(image, 2) >= 1);
    const problems = problemIf(isTooSmall, image.path, () => `${measures(image.size)} pixels are enlarged`);
    return problems.map((problem) => ({ ...problem, fix: `give at least ${measures(target)} pixels` }));
  };
}

/** Returns the share of a source image, from 0 to 1, that is cut off when it is cropped to the finished shape. */
function lostPart({ slot, size }: SlotImage): number {
  const target = appleImageSize(slot, size, 3);
  const [source, wanted] = [size.width / size.height, target.width / target.height];
  return 1 - Math.min(source, wanted) / Math.max(source, wanted);
}

function cutBetween(from: number, upTo: number) {
  return (image: SlotImage): Problem[] => {
    const lost = lostPart(image);
    const { width, height } = image.slot;
    const message = () => `${Math.round(lost * 100)} % of ${measures(image.size)} pixels is cut off`;
    const problems = problemIf(lost >= from && lost < upTo, image.path, message);
    return problems.map((problem) => ({ ...problem, fix: `give it the shape of ${width} × ${height}` }));
  };
}

function missing({ path, image }: NamedImage): Problem[] {
  return problemIf(image === 'missing', path, () => 'there is no image at this address');
}

function measures({ width, height }: Size): string {
  return `${width} × ${height}`;
}

/** Returns a problem for each image of the template that packages of its type do not contain. */
function unused(template: RenderTemplate, { images }: Facts): Problem[] {
  const used = new Set<string>(appleImageSlots(template.type).map(({ purpose }) => purpose));
  return (['banner', 'thumbnail', 'artwork'] as const).flatMap((purpose) =>
    problemIf(images?.[purpose] !== undefined && !used.has(purpose), purpose, () => {
      return `Apple Wallet shows no ${purpose} on passes of type ${template.type}`;
    }),
  );
}

/** Rules on the presence, size and shape of images. */
export const imageRules: readonly Rule[] = [
  {
    id: 'icon-missing',
    severity: 'error',
    wallet: 'walletA',
    title: 'There is no icon',
    why: 'Apple Wallet rejects a package without an icon.',
    fix: 'give a square icon of at least 114 × 114 pixels',
    template: (_, { images }) =>
      problemIf(images !== null && images.icon === undefined, 'icon', () => 'there is no icon'),
  },
  {
    id: 'image-not-found',
    severity: 'error',
    wallet: 'all',
    title: 'There is no image at an address of the service',
    why: 'The service reads images when it saves a template or pass, and rejects it with image_invalid.',
    fix: 'upload it, and use the address from the response',
    template: (_, { images }) => imagesOfTemplate(images).flatMap(missing),
    pass: (_, __, { images }) => imagesOfPass(images).flatMap(missing),
  },
  {
    id: 'image-below-2x',
    severity: 'warning',
    wallet: 'walletA',
    title: 'An image is too small for the screen of any current phone',
    why: 'Phones enlarge it to two or three pixels per point, and it looks blurred.',
    fix: 'use three pixels for each point of its space',
    ...eachImage(belowScale(2)),
  },
  {
    id: 'image-below-3x',
    severity: 'info',
    wallet: 'walletA',
    title: 'An image is too small for the sharpest screens',
    why: 'Phones with three pixels per point enlarge it, and it looks slightly soft.',
    fix: 'use three pixels for each point of its space',
    ...eachImage(belowScale(3)),
  },
  {
    id: 'image-cropped',
    severity: 'warning',
    wallet: 'walletA',
    title: 'More than two fifths of an image is cut off',
    why: 'Phones show only its middle, in the shape of its space.',
    fix: 'give it the shape of its space',
    ...eachImage(cutBetween(0.4, 1.01)),
  },
  {
    id: 'image-trimmed',
    severity: 'info',
    wallet: 'walletA',
    title: 'More than a tenth of an image is cut off',
    why: 'Phones show only its middle, in the shape of its space.',
    fix: 'give it the shape of its space',
    ...eachImage(cutBetween(0.1, 0.4)),
  },
  {
    id: 'image-unused',
    severity: 'info',
    wallet: 'walletA',
    title: 'An image is not shown on passes of this type',
    why: 'The packages leave it out. Google Wallet, the web view and link previews may show it.',
    fix: 'change nothing if the other places should show it',
    template: unused,
  },
  {
    id: 'background-web-only',
    severity: 'info',
    wallet: 'walletA',
    title: 'The background image is for the web view only',
    why: 'The mobile wallets show the background colour.',
    fix: 'choose a background colour that matches it',
    template: (_, { images }) =>
      problemIf(images?.background !== undefined, 'background', () => 'the mobile wallets do not show it'),
  },
];
