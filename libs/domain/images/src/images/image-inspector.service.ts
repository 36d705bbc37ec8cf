import { Injectable } from '@nestjs/common';
import { BlobStorage } from '@passwright/core';
import type { SmallCopy } from '../processing/image-codec.js';
import { UnusableImage } from '../processing/image-limits.js';
import { ImageProcessing, type PixelSize } from '../processing/image-processing.service.js';
import { SizedCache } from '../processing/sized-cache.js';
import { ImageRequests } from '../sources/image-requests.service.js';
import { ImageSource } from '../sources/image-source.service.js';
import type { PreparedImage } from '../variants/prepared-image.js';

/** The maximum size of the cached copies in bytes: enough for the artwork and the banners of 75 templates. */
const storedBytes = 4 * 1024 * 1024;

/** Measures images of this service for checks of templates. Stores nothing and fetches nothing from other servers. */
@Injectable()
export class ImageInspector {
  private readonly copies = new SizedCache<SmallCopy>(storedBytes, ({ rgba }) => rgba.length);

  constructor(
    private readonly storage: BlobStorage,
    private readonly source: ImageSource,
    private readonly requests: ImageRequests,
    private readonly processing: ImageProcessing,
  ) {}

  /**
   * Reads the size of an image from storage.
   * @returns `missing` if the image does not exist; null if it is damaged or on another server
   * @throws RateLimited, NotReady
   */
  measure(accountId: string, url: string): Promise<PixelSize | 'missing' | null> {
    return this.inPlace(accountId, url, async () => {
      const bytes = await this.source.readOwn(url);
      if (bytes === undefined) return null;
      return bytes === null ? 'missing' : this.processing.measured(accountId, bytes);
    });
  }

  /**
   * Returns the pixels of a small copy of an image, in the proportions of `size`.
   * @param prepared the saved image; its smallest file for Apple Wallet already has these proportions
   * @returns null for an image that is missing or damaged, and for an unsaved image on another server
   * @throws RateLimited, NotReady
   */
  async smallCopy(
    accountId: string,
    url: string,
    size: PixelSize,
    prepared?: PreparedImage,
  ): Promise<SmallCopy | null> {
    const source = prepared?.source ?? this.source.uploadPath(url);
    // The name contains the account, because accounts share no copies.
    const name = source && `${accountId}/${source}/${size.width}×${size.height}`;
    const known = name && this.copies.get(name);
    if (known) return known;
    const copy = await this.inPlace(accountId, url, async () => {
      const bytes = (prepared && (await this.smallestFile(prepared))) ?? (await this.source.readOwn(url));
      return bytes ? this.processing.smallCopy(accountId, bytes, size).catch(unlessUnusable) : null;
    });
    if (copy && name) this.copies.set(name, copy);
    return copy;
  }

  private async smallestFile({ files }: PreparedImage): Promise<Uint8Array | null> {
    const [smallest] = files.filter(({ wallet }) => wallet === 'apple').sort((a, b) => a.width - b.width);
    return smallest ? this.storage.get(smallest.key) : null;
  }

  private inPlace<T>(accountId: string, url: string, task: () => Promise<T>): Promise<T> {
    return this.source.isUpload(url) ? this.requests.run(accountId, task) : task();
  }
}

function unlessUnusable(error: unknown): null {
  if (error instanceof UnusableImage) return null;
  throw error;
}
