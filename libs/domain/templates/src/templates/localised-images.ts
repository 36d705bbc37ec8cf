import type { ImageUrls, PreparedFile, PreparedImages, PreparedPurpose } from '@passwright/images';
import {
  forReader,
  imageKey,
  localisedPurposes,
  type RenderPass,
  type Translations,
  withGeneralTags,
} from '@passwright/wallet-renderers';
import type { Template } from './template.entity.js';

/** A template's images in all languages. */
export type ImagesOfTemplate = Pick<Template, 'images' | 'localisedImages'> &
  // A node of an older version changes only the translations, so ignore the images of a language whose translations
  // name no images.
  Partial<Pick<Template, 'translations' | 'language'>>;

/** Maximum size of the images of all languages together in a package. */
export const MAX_PACKAGE_BYTES = 10_000_000;

/** Returns the addresses of images in other languages, by language. Omits languages without any. */
export function localisedUrlsOf(translations: Translations | null): Readonly<Record<string, ImageUrls>> {
  const tables = Object.entries(translations ?? {}).map(([language, table]) => {
    const urls = localisedPurposes.flatMap((purpose) => {
      const url = Object.hasOwn(table, imageKey(purpose)) ? table[imageKey(purpose)] : undefined;
      return url === undefined ? [] : [[purpose, url] as const];
    });
    return [language, Object.fromEntries(urls)] as const;
  });
  return Object.fromEntries(tables.filter(([, urls]) => Object.keys(urls).length > 0));
}

/**
 * Returns the images of a template in a language. Replaces a missing image with that of a more general language tag, or
 * else with the template's own.
 */
export function imagesIn(template: ImagesOfTemplate, language: string | null): PreparedImages {
  const { images, localisedImages } = template;
  if (!localisedImages || language === null) return images;
  const tags = withGeneralTags(language, template.language).filter((tag) => hasImages(template, tag));
  return Object.assign({ ...images }, ...tags.reverse().map((tag) => localisedImages[tag])) as PreparedImages;
}

/**
 * Returns true if a language has stored images and its translations name images. If the caller has not passed the
 * translations, stored images are enough.
 */
function hasImages({ localisedImages, translations }: ImagesOfTemplate, tag: string): boolean {
  if (!Object.hasOwn(localisedImages ?? {}, tag)) return false;
  if (translations === undefined) return true;
  const table = translations && Object.hasOwn(translations, tag) ? (translations[tag] ?? {}) : {};
  return localisedPurposes.some((purpose) => Object.hasOwn(table, imageKey(purpose)));
}

/** Returns the images for a reader, in the language that `forReader` chooses for the texts. */
export function imagesForReader(
  template: Template,
  pass: RenderPass,
  wanted: readonly string[],
  fallback: string | undefined,
): PreparedImages {
  if (!template.localisedImages) return template.images;
  return imagesIn(template, forReader(template, pass, wanted, fallback).template.language);
}

/** Returns the purposes of the images that differ by language. */
export function localisedPurposesOf(template: ImagesOfTemplate): ReadonlySet<PreparedPurpose> {
  const shown = Object.entries(template.localisedImages ?? {}).filter(([tag]) => hasImages(template, tag));
  return new Set(shown.flatMap(([, images]) => Object.keys(images) as PreparedPurpose[]));
}

/** Returns the total size of the images in a package for these languages. */
export function localisedBytes(template: ImagesOfTemplate, languages: readonly (string | null)[]): number {
  const purposes = [...localisedPurposesOf(template)];
  const files = languages.flatMap((language) => {
    const images = imagesIn(template, language);
    return purposes.flatMap((purpose): readonly PreparedFile[] => images[purpose]?.files ?? []);
  });
  return files.reduce((sum, { wallet, sizeBytes }) => (wallet === 'apple' ? sum + sizeBytes : sum), 0);
}
