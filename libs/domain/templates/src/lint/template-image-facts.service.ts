import { Injectable } from '@nestjs/common';
import { ImageInspector, type ImageUrls, type PreparedImage, type PreparedImages } from '@passwright/images';
import {
  appleImageSlots,
  type ExaminedImage,
  type ExaminedImages,
  type ExaminedPixels,
  maxLocalisedImages,
  type RenderType,
} from '@passwright/wallet-renderers';
import type { Template } from '../templates/template.entity.js';

/** The addresses of the images to examine. */
export interface NamedImages {
  readonly type: RenderType;
  readonly own: ImageUrls & { readonly passThumbnail?: string };
  /** The image URLs in other languages, by BCP 47 tag. */
  readonly localised: Readonly<Record<string, ImageUrls>>;
}

/** The images that are saved with the template; null without a saved template. */
export type SavedImages = Pick<Template, 'type' | 'images' | 'localisedImages'> | null;

interface Measured {
  readonly purpose: string;
  readonly url: string;
  readonly saved: PreparedImage | undefined;
  /** The language of the image; null for the template's own language. */
  readonly language: string | null;
}

/** The number of images that are read simultaneously. */
const AT_ONCE = 4;
/** The images over which Apple Wallet writes texts. */
const WITH_TEXTS: readonly string[] = ['artwork', 'banner'];
/** The time limit for measuring the images of all languages together. */
const MAX_LOCALISED_MS = 5000;
/**
 * The number of pixels per point in the small copy of an image. At this scale, a letter of a label covers several
 * pixels.
 */
const PIXELS_PER_POINT = 0.25;

/**
 * Finds the sizes of a template's images, and the colours of images behind texts. Fetches nothing from other servers.
 */
@Injectable()
export class TemplateImageFacts {
  constructor(private readonly images: ImageInspector) {}

  /**
   * Returns the sizes of the images, which are saved with the template or else read from storage. The size is unknown
   * for unsaved images on other servers, and for images of other languages that cannot be read in time.
   * @throws RateLimited, NotReady
   */
  async of(accountId: string, named: NamedImages, saved: SavedImages): Promise<ExaminedImages> {
    const { type, own, localised } = named;
    const known = [saved?.images ?? {}, ...Object.values(saved?.localisedImages ?? {})];
    const facts = (image: Measured) => this.factsOf(accountId, type, image, saved?.type === type);
    const ofTemplate = await eachAtOnce(imagesOf(own, null, known), facts);
    const others = Object.entries(localised).flatMap(([language, urls]) => imagesOf(urls, language, known));
    const ofLanguages = await inTime(others.slice(0, maxLocalisedImages), facts);
    return {
      ...Object.fromEntries(ofTemplate.map(({ purpose, image }) => [purpose, image])),
      ...(ofLanguages.length > 0 && { localised: byLanguage(ofLanguages) }),
    };
  }

  private async factsOf(
    accountId: string,
    type: RenderType,
    { purpose, url, saved }: Measured,
    isOfType: boolean,
  ): Promise<ExaminedImage> {
    const size = saved?.size ?? (await this.images.measure(accountId, url));
    const slot = WITH_TEXTS.includes(purpose) && appleImageSlots(type).find((each) => each.purpose === purpose);
    if (size === null || size === 'missing' || !slot) return size;
    const [width, height] = [slot.width, slot.height].map((points) => Math.round(points * PIXELS_PER_POINT));
    const space = { width: width ?? 1, height: height ?? 1 };
    const pixels: ExaminedPixels | null = await this.images.smallCopy(
      accountId,
      url,
      space,
      isOfType ? saved : undefined,
    );
    return { width: size.width, height: size.height, pixels };
  }
}

/**
 * Lists the images of a language, each with the saved image of the same address, if there is one. The saved image may
 * have another purpose.
 */
function imagesOf(
  urls: NamedImages['own'],
  language: string | null,
  known: readonly PreparedImages[],
): readonly Measured[] {
  return Object.entries(urls).flatMap(([purpose, url]: [string, string | undefined]) => {
    if (url === undefined) return [];
    const saved = known.flatMap((images) => Object.entries(images)).filter(([, image]) => image.url === url);
    const [, best] = saved.find(([of]) => of === purpose) ?? saved[0] ?? [];
    return [{ purpose, url, language, saved: best }];
  });
}

type Facts = Measured & { readonly image: ExaminedImage };

/** Measures images, a few at a time. */
async function eachAtOnce(
  images: readonly Measured[],
  measure: (image: Measured) => Promise<ExaminedImage>,
): Promise<Facts[]> {
  const found = images.map((image): Facts => ({ ...image, image: null }));
  const rest = images.entries();
  const lane = async () => {
    for (const [index, image] of rest) found[index] = { ...image, image: await measure(image) };
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  return found;
}

/** Measures the images of other languages. When the time is over, the size of each remaining image is unknown. */
async function inTime(
  images: readonly Measured[],
  measure: (image: Measured) => Promise<ExaminedImage>,
): Promise<Facts[]> {
  if (images.length === 0) return [];
  let timer: NodeJS.Timeout | undefined;
  let isLate = false;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), MAX_LOCALISED_MS).unref();
  });
  void late.then(() => (isLate = true));
  try {
    return await eachAtOnce(images, (image) => (isLate ? late : Promise.race([measure(image), late])));
  } finally {
    clearTimeout(timer);
  }
}

function byLanguage(facts: readonly Facts[]): NonNullable<ExaminedImages['localised']> {
  const languages = [...new Set(facts.map(({ language }) => language ?? ''))];
  return Object.fromEntries(
    languages.map((each) => [
      each,
      Object.fromEntries(
        facts.filter(({ language }) => language === each).map(({ purpose, image }) => [purpose, image]),
      ),
    ]),
  );
}
