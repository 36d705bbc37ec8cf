/** The purposes of images that may differ by language. The icon is the same in all languages. */
export const localisedPurposes = ['logo', 'banner', 'background', 'thumbnail', 'artwork'] as const;
export type LocalisedPurpose = (typeof localisedPurposes)[number];

/** The maximum number of images of a template in all other languages together. */
export const maxLocalisedImages = 20;

/** The maximum length of an image's address. The images of the template itself have the same limit. */
export const maxImageAddress = 2048;

/** Returns the key of an image in `translations`. */
export function imageKey(purpose: LocalisedPurpose): string {
  return `images.${purpose}`;
}
