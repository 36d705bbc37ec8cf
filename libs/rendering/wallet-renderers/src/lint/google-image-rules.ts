import type { ExaminedImages, Problem, Rule } from '../finding.js';
import { problemIf } from '../problem-text.js';

/**
 * The sizes in pixels that Google recommends for the round logo and the hero image. The round logo is made from the
 * icon.
 */
const recommended = { icon: { width: 660, height: 660 }, banner: { width: 1032, height: 336 } } as const;
type Purpose = keyof typeof recommended;

const mostCropped = 0.4;

/** Builds a check of the images that Google Wallet shows, if their size is known. */
function eachImage(
  check: (purpose: Purpose, size: { readonly width: number; readonly height: number }) => readonly Problem[],
): NonNullable<Rule['template']> {
  return (_, { images }) =>
    (['icon', 'banner'] as const).flatMap((purpose) => {
      const size = sizeOf(images, purpose);
      return size ? check(purpose, size) : [];
    });
}

function sizeOf(images: ExaminedImages | null, purpose: Purpose) {
  const image = images?.[purpose];
  return image === 'missing' ? null : image;
}

/**
 * Rules on the images of Google Wallet.
 * @see https://developers.google.com/wallet/generic/resources/brand-guidelines
 */
export const googleImageRules: readonly Rule[] = [
  {
    id: 'google-image-small',
    severity: 'info',
    wallet: 'walletB',
    title: 'An image is smaller than Google recommends',
    why: 'Google Wallet shows the icon as a logo, and the banner in the full width of the pass. It enlarges a smaller image.',
    fix: 'give the recommended size',
    template: eachImage((purpose, { width, height }) => {
      const wanted = recommended[purpose];
      const problems = problemIf(width < wanted.width || height < wanted.height, purpose, () => {
        return `${width} × ${height} pixels are enlarged`;
      });
      return problems.map((problem) => ({
        ...problem,
        fix: `give at least ${wanted.width} × ${wanted.height} pixels`,
      }));
    }),
  },
  {
    id: 'google-image-cropped',
    severity: 'info',
    wallet: 'walletB',
    title: 'More than two fifths of an image is cut off in Google Wallet',
    why: 'Google Wallet shows the icon in a circle, and the banner three times as wide as high. It cuts off the rest.',
    fix: 'give it the shape of its space',
    template: eachImage((purpose, { width, height }) => {
      const wanted = recommended[purpose].width / recommended[purpose].height;
      const lost = 1 - Math.min(width / height, wanted) / Math.max(width / height, wanted);
      return problemIf(lost >= mostCropped, purpose, () => `${Math.round(lost * 100)} % of it is cut off`);
    }),
  },
  {
    id: 'google-hero-missing',
    severity: 'info',
    wallet: 'walletB',
    title: 'A template with artwork has no banner',
    why: 'Google Wallet cannot show a portrait image. Its image in the full width of the pass is the banner.',
    fix: 'give a banner of 1032 × 336 pixels',
    template: ({ type }, { images }) =>
      problemIf(type !== 'event' && images?.artwork !== undefined && images.banner === undefined, 'artwork', () => {
        return 'Google Wallet shows no image of this pass';
      }),
  },
];
