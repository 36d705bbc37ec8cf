import { Injectable } from '@nestjs/common';
import { AccountsService } from '@passwright/accounts';
import { costlyWork, requestOrigin, withoutSlot } from '@passwright/core';
import type { RenderType } from '@passwright/wallet-renderers';
import { imageSizes, type ImageSize } from '../variants/image-variants.js';
import { SizedCache } from './sized-cache.js';
import type { ImageFile } from '../variants/image-file.js';
import { decode, measured, resized, sanitised, type SmallCopy, smallCopy } from './image-codec.js';
import { isSampleImage } from '../samples/sample-images.js';
import type { PreparedPurpose } from '../variants/prepared-image.js';

const storedBytes = 32 * 1024 * 1024;
const storedSizes = 10_000;

/** An image file as uploaded or fetched. */
export interface Source {
  readonly bytes: Uint8Array;
  /** SHA-256, lower-case hex. */
  readonly hash: string;
}

/** The width and height of an image in pixels. */
export interface PixelSize {
  readonly width: number;
  readonly height: number;
}

/** Every size of an image that its purpose needs. */
export interface ImageVariants {
  /** Size of the source; at most 2048 per side. */
  readonly size: PixelSize;
  readonly files: readonly { readonly for: ImageSize; readonly image: ImageFile }[];
}

/**
 * Decodes and resizes images, with a limit per account on simultaneous work. Reuses sizes that were recently generated
 * from the same content in the same account. All accounts share the sizes of sample images.
 */
@Injectable()
export class ImageProcessing {
  private readonly made = new SizedCache<ImageFile>(storedBytes, ({ bytes }) => bytes.length);
  private readonly sizes = new SizedCache<PixelSize>(storedSizes, () => 1);

  constructor(private readonly accounts: AccountsService) {}

  /** Re-encodes the image from its pixels, without metadata. @throws UnusableImage, RateLimited, NotReady */
  sanitised(accountId: string, bytes: Uint8Array, signal?: AbortSignal): Promise<ImageFile> {
    return this.inTurn(accountId, () => sanitised(bytes), signal);
  }

  /**
   * Reads the size of an image, turned upright, from its header. Returns null for an unusable image. @throws
   * RateLimited, NotReady
   */
  measured(accountId: string, bytes: Uint8Array): Promise<PixelSize | null> {
    return this.inTurn(accountId, () => measured(bytes));
  }

  /** Returns the pixels of a small copy that fills the size. @throws UnusableImage, RateLimited, NotReady */
  smallCopy(accountId: string, bytes: Uint8Array, size: PixelSize): Promise<SmallCopy> {
    return this.inTurn(accountId, () => smallCopy(bytes, size));
  }

  /** Returns every size that the purpose needs. @throws UnusableImage, RateLimited, NotReady */
  async variants(
    accountId: string,
    source: Source,
    purpose: PreparedPurpose,
    type: RenderType,
    signal?: AbortSignal,
  ): Promise<ImageVariants> {
    const name = nameOfSource(accountId, source);
    const known = () => this.known(name, purpose, type);
    // Check the cache again: another request may have generated the same sizes during the wait.
    return (
      known() ?? this.inTurn(accountId, async () => known() ?? (await this.make(name, source, purpose, type)), signal)
    );
  }

  /** Returns true if all sizes have already been generated. */
  hasMade(accountId: string, source: Source, purpose: PreparedPurpose, type: RenderType): boolean {
    return this.known(nameOfSource(accountId, source), purpose, type) !== undefined;
  }

  private known(name: string, purpose: PreparedPurpose, type: RenderType): ImageVariants | undefined {
    const size = this.sizes.get(name);
    if (!size) return undefined;
    const files = imageSizes(purpose, type, size).map((to) => ({ for: to, image: this.made.get(nameOf(name, to)) }));
    return files.every(isMade) ? { size, files } : undefined;
  }

  private async make(name: string, source: Source, purpose: PreparedPurpose, type: RenderType): Promise<ImageVariants> {
    const decoded = await decode(source.bytes);
    const { width, height } = decoded;
    const files: { for: ImageSize; image: ImageFile }[] = [];
    // Wallets share some sizes, so generate each only once.
    const made = new Map<string, ImageFile>();
    for (const to of imageSizes(purpose, type, decoded)) {
      const key = nameOf(name, to);
      const image = made.get(key) ?? this.made.get(key) ?? (await resized(decoded, to));
      made.set(key, image);
      this.made.set(key, image);
      files.push({ for: to, image });
    }
    this.sizes.set(name, { width, height });
    return { size: { width, height }, files };
  }

  private async inTurn<T>(accountId: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const signals = [signal, requestOrigin()?.gone].filter((each) => each !== undefined);
    const share = await this.accounts.shareOf(accountId);
    return withoutSlot(() => costlyWork.run(share, work, AbortSignal.any(signals)));
  }
}

function isMade(file: { for: ImageSize; image: ImageFile | undefined }): file is ImageVariants['files'][number] {
  return file.image !== undefined;
}

/**
 * Returns the part of a cache key that identifies a source. It contains the account, except for sample images, so that
 * response times do not reveal the images of other accounts.
 */
function nameOfSource(accountId: string, { bytes, hash }: Source): string {
  return `${isSampleImage(bytes) ? 'sample' : accountId}/${hash}`;
}

function nameOf(source: string, { width, height, fit, extension }: ImageSize): string {
  return `${source}/${width}×${height}/${fit}.${extension}`;
}
