import { Injectable } from '@nestjs/common';
import { BlobStorage } from '@passwright/core';
import type { RenderType } from '@passwright/wallet-renderers';
import type { EntityManager } from 'typeorm';
import { ImageLeases } from '../leases/image-leases.service.js';
import { eachAtOnce } from '../storage/each-at-once.js';
import { contentHash, keyOf, requireContentOf } from '../storage/image-key.js';
import { ImageProcessing, type Source } from '../processing/image-processing.service.js';
import { imageVariantsVersion } from '../variants/image-variants.js';
import { ImageRequests } from '../sources/image-requests.service.js';
import { ImageSource } from '../sources/image-source.service.js';
import { ImageGarbageCollector } from '../garbage/image-garbage-collector.service.js';
import { UnusableImage } from '../processing/image-limits.js';
import { imageTypes, type ImageFile } from '../variants/image-file.js';
import { StoredImagesRepository } from '../storage/stored-images.repository.js';
import {
  imagePurposes,
  type ImagePurpose,
  type PreparedImage,
  type PreparedPurpose,
} from '../variants/prepared-image.js';
import type { PreparedImages } from '../variants/prepared-image.js';
import { ImageInvalid } from './images.errors.js';
import { ImagesOptions } from '../images.options.js';

/** The URLs of a template's images, as its caller sent them. */
export type ImageUrls = Partial<Record<ImagePurpose, string>>;

/** The previous images of a template, and the template's type, which determines the sizes of the images. */
export interface KnownImages {
  readonly type: RenderType;
  readonly images: PreparedImages;
}

/** The options of `prepareAll`. */
export interface PrepareOptions {
  /** True if the template has artwork. Default: true if the images include artwork. */
  readonly hasPoster?: boolean;
  /** Returns the name of the request property with the image's address, for error messages. Default: the purpose. */
  readonly nameOf?: (purpose: ImagePurpose) => string;
  /** Aborts a request that still waits in `ImageRequests`. */
  readonly signal?: AbortSignal;
}

/** An image to prepare, with its purpose and the result of its last preparation. */
interface ImageUse {
  readonly url: string;
  /** The request property that contains the image's address, for error messages. */
  readonly property: string;
  readonly purpose: PreparedPurpose;
  readonly type: RenderType;
  readonly known?: PreparedImage;
}

/** An image with its sizes, and the files that still have to be stored. */
interface Prepared {
  readonly image: PreparedImage;
  readonly files: readonly ImageFile[];
}

/** Checks images from uploads and URLs, generates the sizes for every wallet, and stores all sizes. */
@Injectable()
export class ImagesService {
  constructor(
    private readonly options: ImagesOptions,
    private readonly storage: BlobStorage,
    private readonly source: ImageSource,
    private readonly requests: ImageRequests,
    private readonly processing: ImageProcessing,
    private readonly leases: ImageLeases,
    private readonly garbage: ImageGarbageCollector,
    private readonly stored: StoredImagesRepository,
  ) {}

  /**
   * Stores an uploaded image, re-encoded without its metadata. The image is deleted a day later if no template or pass
   * shows it. Callers must limit the number of images in memory, as `ImageUploadInterceptor` does. @param part the name
   * of the image's part in the request, for error messages. @returns its URL. @throws ImageInvalid
   */
  async store(accountId: string, bytes: Uint8Array, part: string): Promise<string> {
    const urls = await this.storeAll(accountId, { [part]: bytes });
    return (urls as Readonly<Record<string, string>>)[part] ?? '';
  }

  /**
   * Stores all images of an upload, or no image. @returns the URLs of the images by the names of their parts. @throws
   * ImageInvalid, RateLimited, LimitExceeded
   */
  async storeAll(accountId: string, images: Readonly<Record<string, Uint8Array>>): Promise<ImageUrls> {
    const checked = await allOrNone(Object.entries(images), async ([part, bytes], signal) => {
      return [part, await named(part, () => this.processing.sanitised(accountId, bytes, signal))] as const;
    });
    const stored = checked.map(async ([part, image]) => [part, await this.keepUpload(accountId, image)]);
    return Object.fromEntries(await Promise.all(stored)) as ImageUrls;
  }

  /**
   * Fetches the image at a URL, and stores it in every size that its purpose needs. Reuses sizes that were generated
   * from the same content.
   * @param propertyName the request property with the image's address, for error messages. @throws ImageInvalid,
   * RateLimited, NotReady
   */
  async prepare(
    accountId: string,
    url: string,
    purpose: ImagePurpose,
    templateType: RenderType,
    propertyName: string,
    known?: PreparedImage,
  ): Promise<PreparedImage> {
    const use = { url, property: propertyName, purpose, type: templateType, known };
    const { [purpose]: image } = await this.prepareUses(accountId, [use]);
    return image as PreparedImage;
  }

  /**
   * Prepares all images of a template. If it has artwork, also prepares its logo for the poster. Fetches each address
   * only once. @throws ImageInvalid, RateLimited, NotReady
   */
  prepareAll(
    accountId: string,
    urls: ImageUrls,
    type: RenderType,
    known: KnownImages | null,
    { hasPoster = urls.artwork !== undefined, nameOf = (purpose) => purpose, signal }: PrepareOptions = {},
  ): Promise<PreparedImages> {
    const use = (purpose: PreparedPurpose, of: ImagePurpose): ImageUse[] => {
      const url = urls[of];
      const previous = known?.type === type ? known.images[purpose] : undefined;
      return url === undefined ? [] : [{ url, property: nameOf(of), purpose, type, known: previous }];
    };
    const uses = imagePurposes.flatMap((purpose) => use(purpose, purpose));
    return this.prepareUses(accountId, hasPoster ? [...uses, ...use('primaryLogo', 'logo')] : uses, signal);
  }

  /**
   * Plans the deletion of the images that a template no longer shows.
   * @param now the images that the template now shows; absent if the template is deleted
   */
  release(tx: EntityManager, accountId: string, before: PreparedImages, now?: PreparedImages): Promise<void> {
    return this.garbage.releaseLater(tx, accountId, before, now);
  }

  /**
   * Reads the files of an Apple package for these images from storage, with their names in the package. @throws
   * StorageUnavailable
   */
  async appleFiles(images: readonly PreparedImage[]): Promise<{ name: string; data: Uint8Array }[]> {
    const files = images.flatMap((image) => image.files.filter(({ wallet }) => wallet === 'apple'));
    return Promise.all(
      files.map(async ({ name, key }) => {
        const data = await this.storage.get(key);
        if (!data) throw this.stored.missing(key);
        requireContentOf(key, data);
        return { name, data };
      }),
    );
  }

  /**
   * Prepares images, and reuses unchanged ones. Waits in `ImageRequests` only if it must fetch, read or decode an
   * image.
   */
  private async prepareUses(
    accountId: string,
    uses: readonly ImageUse[],
    signal?: AbortSignal,
  ): Promise<PreparedImages> {
    const unchanged = await Promise.all(uses.map((use) => this.unchanged(accountId, use)));
    const left = uses.filter((_, at) => !unchanged[at]);
    const prepare = () => this.prepareEach(accountId, left);
    const areMade = await Promise.all(left.map((use) => this.isMadeSample(accountId, use)));
    const anew = await (areMade.includes(false) ? this.requests.run(accountId, prepare, signal) : prepare());
    const entries = uses.map(({ purpose }, at) => [purpose, unchanged[at] ?? anew[purpose]] as const);
    return Object.fromEntries(entries);
  }

  /**
   * Returns the earlier preparation of an upload if it can be reused; null otherwise. The address of an upload
   * identifies its content.
   */
  private async unchanged(accountId: string, { url, known }: ImageUse): Promise<PreparedImage | null> {
    if (known?.url !== url || known.recipe !== imageVariantsVersion || !this.source.isUpload(url)) return null;
    return (await this.isStored(accountId, known)) ? known : null;
  }

  private async isMadeSample(accountId: string, { url, purpose, type, known }: ImageUse): Promise<boolean> {
    const bytes = this.source.isSample(url) ? await this.source.readOwn(url) : null;
    if (!bytes) return false;
    const source = sourceOf(bytes);
    return isKnown(source, known) || this.processing.hasMade(accountId, source, purpose, type);
  }

  private async prepareEach(accountId: string, uses: readonly ImageUse[]): Promise<PreparedImages> {
    const reads = new Map<string, Promise<Uint8Array>>();
    const read = (url: string) => {
      const reading = reads.get(url) ?? this.source.read(url);
      reads.set(url, reading);
      return reading;
    };
    // Read all images before resizing the first one, so that no work is wasted if an image is missing.
    const sources = await allOrNone(uses, (use) =>
      named(use.property, async () => ({ use, source: sourceOf(await read(use.url)) })),
    );
    const prepared = await allOrNone(sources, async ({ use, source }, signal) => {
      return [use.purpose, await named(use.property, () => this.prepared(accountId, source, use, signal))] as const;
    });
    const entries = prepared.map(async ([purpose, image]) => [purpose, await this.keep(accountId, image)]);
    return Object.fromEntries(await Promise.all(entries)) as PreparedImages;
  }

  private async prepared(
    accountId: string,
    source: Source,
    { url, purpose, type, known }: ImageUse,
    signal?: AbortSignal,
  ): Promise<Prepared> {
    if (isKnown(source, known) && (await this.isStored(accountId, known)))
      return { image: { ...known, url }, files: [] };
    const { size, files } = await this.processing.variants(accountId, source, purpose, type, signal);
    const described = files.map(({ for: { wallet, name }, image }) => {
      const { width, height, bytes } = image;
      return { wallet, name, key: keyOf(accountId, image), width, height, sizeBytes: bytes.length };
    });
    const image = { url, source: source.hash, size, recipe: imageVariantsVersion, files: described };
    return { image, files: files.map((file) => file.image) };
  }

  private isStored(accountId: string, { files }: PreparedImage): Promise<boolean> {
    return this.leases.takeStored(
      accountId,
      files.map(({ key }) => key),
    );
  }

  private async keepUpload(accountId: string, image: ImageFile): Promise<string> {
    const key = keyOf(accountId, image);
    // Count the upload last, because the count makes simultaneous requests of the account wait.
    await this.leases.takeUpload(accountId, key, async (tx) => {
      await this.garbage.expectUse(tx, accountId, key, contentHash(image.bytes));
      await this.stored.add(accountId, [{ key, sizeBytes: image.bytes.length }], tx);
    });
    await this.storage.put(key, image.bytes, imageTypes[image.extension]);
    return `${this.options.baseUrl}/${key}`;
  }

  private async keep(accountId: string, { image, files }: Prepared): Promise<PreparedImage> {
    const byKey = new Map(files.map((file) => [keyOf(accountId, file), file]));
    if (byKey.size > 0) {
      await this.leases.take(accountId, [...byKey.keys()]);
      await this.stored.add(
        accountId,
        [...byKey].map(([key, { bytes }]) => ({ key, sizeBytes: bytes.length })),
      );
    }
    await eachAtOnce(byKey, ([key, { bytes, extension }]) => this.storage.put(key, bytes, imageTypes[extension]));
    return image;
  }
}

function sourceOf(bytes: Uint8Array): Source {
  return { bytes, hash: contentHash(bytes) };
}

function isKnown(source: Source, known: PreparedImage | undefined): known is PreparedImage {
  return known?.source === source.hash && known.recipe === imageVariantsVersion;
}

/** Runs the work for all items simultaneously. If one item fails, aborts the work that has not started yet. */
async function allOrNone<T, R>(each: readonly T[], work: (item: T, signal: AbortSignal) => Promise<R>): Promise<R[]> {
  const failed = new AbortController();
  try {
    return await Promise.all(each.map((item) => work(item, failed.signal)));
  } catch (error) {
    failed.abort(error);
    throw error;
  }
}

/** Adds the name of the property or part to an image error. */
async function named<T>(property: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof UnusableImage ? new ImageInvalid(property, `the image ${error.message}`) : error;
  }
}
