import { Injectable } from '@nestjs/common';
import { BlobStorage } from '@passwright/core';
import type { PreviewImage, PreviewImages, PreviewWallet } from '@passwright/wallet-renderers';
import {
  type ImageExtension,
  type PreparedFile,
  type PreparedImages,
  type PreparedPurpose,
  SizedCache,
} from '@passwright/images';
import { shownImages, toPreviewImage } from './preview-images.js';

/** The maximum size of the kept images in bytes. */
const keptBytes = 16 * 1024 * 1024;

/**
 * Reads the images of templates for previews from storage, and keeps them in memory. A changed template usually shows
 * the same images, and each read from storage takes several turns of the event loop.
 */
@Injectable()
export class StoredPreviewImages {
  /** The images by key. The key identifies the account and the content. */
  private readonly kept = new SizedCache<PreviewImage>(keptBytes, ({ bytes }) => bytes.length);

  constructor(private readonly storage: BlobStorage) {}

  /** Returns a template's images in a wallet's sizes. Skips missing images. */
  async of(images: PreparedImages, wallet: PreviewWallet): Promise<PreviewImages> {
    const loaded = Object.entries(shownImages[wallet]).map(async ([purpose, name]) => {
      const files = images[purpose as PreparedPurpose]?.files;
      const file = files?.find((each) => each.wallet === wallet && each.name === name);
      return [purpose, file && (await this.load(file))];
    });
    return Object.fromEntries(await Promise.all(loaded)) as PreviewImages;
  }

  private async load({ key, width, height }: PreparedFile): Promise<PreviewImage | undefined> {
    const known = this.kept.get(key);
    if (known) return known;
    const bytes = await this.storage.get(key);
    if (!bytes) return undefined;
    const extension = key.slice(key.lastIndexOf('.') + 1) as ImageExtension;
    const image = await toPreviewImage({ bytes, extension, width, height });
    this.kept.set(key, image);
    return image;
  }
}
