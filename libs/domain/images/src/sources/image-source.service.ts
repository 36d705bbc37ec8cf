import { Injectable } from '@nestjs/common';
import { BlobStorage } from '@passwright/core';
import { parsedUrl } from '@passwright/wallet-renderers';
import { imageKey, requireContentOf } from '../storage/image-key.js';
import { UnusableImage } from '../processing/image-limits.js';
import { RemoteImage } from './remote-image.service.js';
import { sampleImage } from '../samples/sample-images.js';
import { StoredImagesRepository } from '../storage/stored-images.repository.js';
import { ImagesOptions } from '../images.options.js';

/** Reads the bytes behind an image's address: from storage for our own images, over HTTP for all others. */
@Injectable()
export class ImageSource {
  private readonly ownImages: string;

  constructor(
    options: ImagesOptions,
    private readonly storage: BlobStorage,
    private readonly remote: RemoteImage,
    private readonly stored: StoredImagesRepository,
  ) {
    this.ownImages = new URL(`${options.baseUrl}/images/`).href;
  }

  /** Reads an image from storage, or fetches it. @throws UnusableImage */
  async read(url: string): Promise<Uint8Array> {
    const bytes = await this.readOwn(url);
    if (bytes === undefined) return this.remote.fetch(url);
    if (!bytes) throw new UnusableImage('names no image of this service; upload it, and send the URL of the response');
    return bytes;
  }

  /**
   * Reads an image of this service from storage. Returns null if there is no such image, and undefined for an address
   * on another server.
   */
  async readOwn(url: string): Promise<Uint8Array | null | undefined> {
    const path = this.ownPath(url);
    return path === null ? undefined : this.own(path);
  }

  /** Returns true for the address of a sample image. The bytes of samples are in memory. */
  isSample(url: string): boolean {
    return this.ownPath(url)?.startsWith('samples/') ?? false;
  }

  /** Returns true for the address of an upload. Such an address identifies the content. */
  isUpload(url: string): boolean {
    return this.uploadPath(url) !== null;
  }

  /**
   * Returns the part of an upload's address that identifies the content; null for any other address. It is the same
   * for all addresses of the upload, which differ in their query and fragment.
   */
  uploadPath(url: string): string | null {
    return this.isSample(url) ? null : this.ownPath(url);
  }

  /** Returns the part of an address that names the image; null for an address on another server. */
  private ownPath(url: string): string | null {
    const address = parsedUrl(url);
    const path = address && address.origin + address.pathname;
    return path?.startsWith(this.ownImages) ? path.slice(this.ownImages.length) : null;
  }

  private async own(path: string): Promise<Uint8Array | null> {
    const [folder = '', file = '', ...rest] = path.split('/');
    if (rest.length > 0) return null;
    if (folder === 'samples') return sampleImage(file);
    const key = imageKey(folder, file);
    const bytes = key === null ? null : await this.storage.get(key);
    if (key !== null && !bytes) await this.stored.acceptMissing(folder, key);
    if (key !== null && bytes) requireContentOf(key, bytes);
    return bytes;
  }
}
