import { availableParallelism } from 'node:os';
import { Injectable } from '@nestjs/common';
import { BlobStorage, WorkQueue } from '@passwright/core';
import type { RenderType } from '@passwright/wallet-renderers';
import { ImageHolds } from './image-holds.js';
import { ImageIntake } from './image-intake.js';
import { contentHash, keyOf } from './image-key.js';
import { imageRecipe, imageSizes, type ImageSize } from './image-recipe.js';
import { ImageSource } from './image-source.js';
import { ImageSweeper } from './image-sweeper.js';
import { decode, imageTypes, resized, sanitised, UnusableImage, type ImageFile, type Picture } from './picture.js';
import { imagePurposes, type ImagePurpose, type PreparedFile, type PreparedImage } from './template-images.js';
import type { TemplateImages } from './template-images.js';
import { ImageInvalid } from './templates.errors.js';
import { TemplatesOptions } from './templates.options.js';

/** The URLs of a template's images, as its caller sent them. */
export type ImageUrls = Partial<Record<ImagePurpose, string>>;

/** What is known of the images so far, and the type of template whose sizes they have. */
export interface KnownImages {
  readonly type: RenderType;
  readonly images: TemplateImages;
}

/** What an image is prepared for, and how it was prepared before. */
interface ImageUse {
  readonly purpose: ImagePurpose;
  readonly type: RenderType;
  readonly known?: PreparedImage;
}

/** An image file as it came. */
interface Source {
  readonly bytes: Uint8Array;
  readonly hash: string;
}

/** Takes images in, from uploads and from URLs, checks them, makes every wallet's sizes, and keeps all in storage. */
@Injectable()
export class TemplateImagesService {
  // The rest of the machine stays free for requests, however many images arrive at once.
  private readonly queue = new WorkQueue({
    ...ImageIntake.limits,
    width: Math.max(1, Math.min(2, availableParallelism() - 1)),
  });

  constructor(
    private readonly options: TemplatesOptions,
    private readonly storage: BlobStorage,
    private readonly source: ImageSource,
    private readonly intake: ImageIntake,
    private readonly holds: ImageHolds,
    private readonly sweeper: ImageSweeper,
  ) {}

  /**
   * Keeps an uploaded image, anew from its pixels (no metadata), and answers with its URL. A day later something must name it.
   * Whoever holds many at a time bounds how many: `ImageUploadInterceptor` does.
   * @param part the name it was sent under, for the error. @throws ImageInvalid
   */
  async store(accountId: string, bytes: Uint8Array, part: string): Promise<string> {
    const image = await named(part, () => this.queue.run(() => sanitised(bytes)));
    const key = keyOf(accountId, image);
    await this.holds.take(accountId, [key], { upload: true });
    await this.sweeper.expectUse(accountId, key, contentHash(image.bytes));
    await this.storage.put(key, image.bytes, imageTypes[image.extension]);
    return `${this.options.baseUrl}/${key}`;
  }

  /** Keeps all images of an upload. @returns their URLs, under the same names. @throws ImageInvalid */
  async storeAll(accountId: string, images: Readonly<Record<string, Uint8Array>>): Promise<ImageUrls> {
    const parts = Object.entries(images);
    await Promise.all(parts.map(([part, bytes]) => named(part, () => this.queue.run(() => decode(bytes)))));
    const stored = parts.map(async ([part, bytes]) => [part, await this.store(accountId, bytes, part)]);
    return Object.fromEntries(await Promise.all(stored)) as ImageUrls;
  }

  /**
   * The image behind a URL in every size that its purpose needs. Sizes that are known for the same content are taken
   * over, so they are made once.
   * @param propertyName the request property that names the image, for the error. @throws ImageInvalid, RateLimited
   */
  async prepare(
    accountId: string,
    url: string,
    purpose: ImagePurpose,
    templateType: RenderType,
    propertyName: string,
    known?: PreparedImage,
  ): Promise<PreparedImage> {
    const use = { purpose, type: templateType, known };
    const prepare = async () => this.prepared(accountId, url, sourceOf(await this.source.read(url)), use);
    return named(propertyName, () => this.intake.run(prepare));
  }

  /** All images of a template; an address that occurs twice is fetched once. @throws ImageInvalid, RateLimited */
  prepareAll(accountId: string, urls: ImageUrls, type: RenderType, known: KnownImages | null): Promise<TemplateImages> {
    return this.intake.run(() => this.prepareEach(accountId, urls, type, known));
  }

  /** The files of an Apple package that these images are, by the names they have in it, from storage. */
  async appleFiles(images: readonly PreparedImage[]): Promise<{ name: string; data: Uint8Array }[]> {
    const files = images.flatMap((image) => image.files.filter(({ wallet }) => wallet === 'apple'));
    return Promise.all(
      files.map(async ({ name, key }) => {
        const data = await this.storage.get(key);
        if (!data) throw new Error(`The prepared image ${key} is not in storage`);
        return { name, data };
      }),
    );
  }

  private async prepareEach(
    accountId: string,
    urls: ImageUrls,
    type: RenderType,
    known: KnownImages | null,
  ): Promise<TemplateImages> {
    const reads = new Map<string, Promise<Uint8Array>>();
    const read = (url: string) => {
      const reading = reads.get(url) ?? this.source.read(url);
      reads.set(url, reading);
      return reading;
    };
    const wanted = imagePurposes.flatMap((purpose) => {
      const url = urls[purpose];
      const previous = known?.type === type ? known.images[purpose] : undefined;
      return url === undefined ? [] : [{ url, use: { purpose, type, known: previous } }];
    });
    // All are looked at before any is resized: a bad one is told soon, and no work is wasted on the others.
    const sources = await Promise.all(
      wanted.map(({ url, use }) => named(use.purpose, async () => this.checked(await read(url), use.known))),
    );
    const prepared = await Promise.all(
      wanted.map(async ({ url, use }, index): Promise<TemplateImages> => {
        const image = await named(use.purpose, () => this.prepared(accountId, url, sources[index] as Source, use));
        return { [use.purpose]: image };
      }),
    );
    return Object.assign({}, ...prepared) as TemplateImages;
  }

  /** Decodes an image that is not known yet; its pixels are not held until all others are there. @throws UnusableImage */
  private async checked(bytes: Uint8Array, known: PreparedImage | undefined): Promise<Source> {
    const source = sourceOf(bytes);
    if (!isKnown(source, known)) await this.queue.run(() => decode(bytes));
    return source;
  }

  private async prepared(
    accountId: string,
    url: string,
    source: Source,
    { purpose, type, known }: ImageUse,
  ): Promise<PreparedImage> {
    if (isKnown(source, known) && (await this.isStored(accountId, known))) return { ...known, url };
    return this.queue.run(async () => {
      const picture = await decode(source.bytes);
      const { width, height } = picture;
      const files = await this.sizes(accountId, picture, imageSizes(purpose, type, picture));
      return { url, source: source.hash, size: { width, height }, recipe: imageRecipe, files };
    });
  }

  private isStored(accountId: string, { files }: PreparedImage): Promise<boolean> {
    return this.holds.takeStored(
      accountId,
      files.map(({ key }) => key),
    );
  }

  private async sizes(accountId: string, picture: Picture, sizes: readonly ImageSize[]): Promise<PreparedFile[]> {
    const files: PreparedFile[] = [];
    // Wallets share some sizes: each is made once.
    const made = new Map<string, ImageFile>();
    for (const size of sizes) {
      const { wallet, name, ...form } = size;
      const image = made.get(JSON.stringify(form)) ?? (await resized(picture, size));
      made.set(JSON.stringify(form), image);
      const { width, height, bytes } = image;
      files.push({ wallet, name, key: keyOf(accountId, image), width, height, sizeBytes: bytes.length });
    }
    await this.keep(accountId, [...made.values()]);
    return files;
  }

  private async keep(accountId: string, images: readonly ImageFile[]): Promise<void> {
    const byKey = new Map(images.map((image) => [keyOf(accountId, image), image]));
    await this.holds.take(accountId, [...byKey.keys()]);
    for (const [key, { bytes, extension }] of byKey) await this.storage.put(key, bytes, imageTypes[extension]);
  }
}

function sourceOf(bytes: Uint8Array): Source {
  return { bytes, hash: contentHash(bytes) };
}

function isKnown(source: Source, known: PreparedImage | undefined): known is PreparedImage {
  return known?.source === source.hash && known.recipe === imageRecipe;
}

/** A fault of an image becomes the caller's error, which names the property or part. */
async function named<T>(property: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof UnusableImage ? new ImageInvalid(property, `the image ${error.message}`) : error;
  }
}
