import { Injectable } from '@nestjs/common';
import { NotReady, ValidationFailed } from '@passwright/core';
import { ImagesService, type LocalisedImages, type PreparedImages } from '@passwright/images';
import { imageKey, type LocalisedPurpose } from '@passwright/wallet-renderers';
import type { EntityManager } from 'typeorm';
import { storedTranslations } from '../fields/translations.decorator.js';
import { type ImagesOfTemplate, localisedBytes, localisedUrlsOf, MAX_PACKAGE_BYTES } from './localised-images.js';
import { imageUrlsOf } from './template-content.js';
import type { TemplateRequest } from './template.dto.js';
import type { Template } from './template.entity.js';

/** The time within which the service must begin to load the images of the last language. */
export const languageLimits = { startMs: 30_000 };

/** Prepares the images of templates in all languages, and plans their deletion. */
@Injectable()
export class TemplateImages {
  constructor(private readonly images: ImagesService) {}

  /**
   * Prepares the images of a request: first the template's own, then those of other languages, several at a time.
   * @throws ImageInvalid, RateLimited, NotReady, ValidationFailed if the images are too large for a package
   */
  async prepare(
    accountId: string,
    request: TemplateRequest,
    known: Template | null,
  ): Promise<Required<Pick<Template, 'images' | 'localisedImages'>>> {
    const images = await this.images.prepareAll(accountId, imageUrlsOf(request), request.type ?? 'offer', known);
    return { images, localisedImages: await this.localised(accountId, request, images, known) };
  }

  /**
   * Plans the deletion of the images that a template no longer shows. @param now the changed template; absent if the
   * template is deleted
   */
  async release(tx: EntityManager, before: Template, now?: Template): Promise<void> {
    await this.images.release(tx, before.accountId, before.images, now?.images);
    for (const [language, images] of Object.entries(before.localisedImages ?? {})) {
      await this.images.release(tx, before.accountId, images, now?.localisedImages?.[language]);
    }
  }

  private async localised(
    accountId: string,
    request: TemplateRequest,
    images: PreparedImages,
    known: Template | null,
  ): Promise<LocalisedImages | null> {
    const translations = storedTranslations(request.translations);
    const addresses = Object.entries(localisedUrlsOf(translations));
    if (addresses.length === 0) return null;
    const prepared = await inTime(addresses, async ([language, urls], signal) => {
      const before = known && { type: known.type, images: known.localisedImages?.[language] ?? {} };
      const of = await this.images.prepareAll(accountId, urls, request.type ?? 'offer', before, {
        hasPoster: images.artwork !== undefined,
        nameOf: (purpose) => `translations["${language}"]["${imageKey(purpose as LocalisedPurpose)}"]`,
        signal,
      });
      return [language, of] as const;
    });
    const localisedImages = Object.fromEntries(prepared);
    requireSmall({ images, localisedImages }, Object.keys(translations ?? {}));
    return localisedImages;
  }
}

/**
 * Runs the work for all items simultaneously. After a failure or the time limit, starts no more work. @throws NotReady
 * if some work has not started by the time limit
 */
async function inTime<T, R>(each: readonly T[], work: (item: T, signal: AbortSignal) => Promise<R>): Promise<R[]> {
  const ended = new AbortController();
  const { startMs } = languageLimits;
  const late = new NotReady(
    `The images of all languages could not be loaded within ${startMs / 1000} s: upload them, and send their URLs.`,
  );
  const timer = setTimeout(() => ended.abort(late), startMs);
  try {
    return await Promise.all(each.map((item) => work(item, ended.signal)));
  } catch (error) {
    ended.abort(error);
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

function requireSmall(template: ImagesOfTemplate, languages: readonly string[]): void {
  const bytes = localisedBytes(template, [null, ...languages]);
  if (bytes <= MAX_PACKAGE_BYTES) return;
  throw new ValidationFailed(
    `translations: the images of all languages have ${bytes} bytes in a package of Apple Wallet, and at most ` +
      `${MAX_PACKAGE_BYTES} are allowed; translate fewer images, or shrink them`,
  );
}
