import { setTimeout as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { BlobStorage, Clock, RateLimited, StorageUnavailable, withoutPlace } from '@passwright/core';
import { eachAtOnce } from '../storage/each-at-once.js';
import { StoredImagesRepository } from '../storage/stored-images.repository.js';
import { ImageLeasesRepository } from './image-leases.repository.js';

/** The duration of a lease: longer than any request takes from storing an image to the commit that saves its key. */
const leaseMs = 15 * 60_000;
const lookMs = 50;
const mostLooks = 200;

/**
 * Protects stored images from deletion between their preparation and the commit of the template or pass that shows
 * them. A request first leases an image, then stores it, then saves its key. The garbage collector deletes only images
 * without a lease. While it deletes an image, no request can lease it; the next request stores it again.
 */
@Injectable()
export class ImageLeases {
  constructor(
    private readonly repository: ImageLeasesRepository,
    private readonly stored: StoredImagesRepository,
    private readonly storage: BlobStorage,
    private readonly clock: Clock,
  ) {}

  /**
   * Leases images. Waits while one of them is being deleted, and gives up the request's place meanwhile. Never call it
   * in a transaction.
   * @throws RateLimited after ten seconds. @throws NotReady
   */
  async take(accountId: string, keys: readonly string[], { upload = false } = {}): Promise<void> {
    const left = await this.tryTake(accountId, [...new Set(keys)], upload);
    if (left.length > 0) await withoutPlace(() => this.takeOnceDeleted(accountId, left, upload));
  }

  /**
   * Leases images that a template or pass shows. While storage is unavailable, trusts the count of stored images, so
   * that callers can save changes that need no new image.
   * @returns false if one of them was deleted. @throws StorageUnavailable
   */
  async takeStored(accountId: string, keys: readonly string[]): Promise<boolean> {
    await this.take(accountId, keys);
    try {
      return await this.areStored(keys);
    } catch (error) {
      if (error instanceof StorageUnavailable && (await this.stored.areCounted(accountId, keys))) return true;
      throw error;
    }
  }

  private async areStored(keys: readonly string[]): Promise<boolean> {
    const missing: string[] = [];
    await eachAtOnce(new Set(keys), async (key) => {
      if (missing.length === 0 && !(await this.storage.has(key))) missing.push(key);
    });
    return missing.length === 0;
  }

  private async takeOnceDeleted(accountId: string, keys: readonly string[], upload: boolean): Promise<void> {
    let left = keys;
    for (let look = 0; look < mostLooks; look++) {
      await pause(lookMs);
      left = await this.tryTake(accountId, left, upload);
      if (left.length === 0) return;
    }
    throw new RateLimited('An image of the same content is being deleted at this moment; try again.', 5);
  }

  /** @returns the keys that are being deleted */
  private async tryTake(accountId: string, keys: readonly string[], upload: boolean): Promise<readonly string[]> {
    const until = new Date(this.clock.now().getTime() + leaseMs);
    const taken = await this.repository.take(accountId, keys, until, upload);
    return keys.filter((key) => !taken.has(key));
  }
}
