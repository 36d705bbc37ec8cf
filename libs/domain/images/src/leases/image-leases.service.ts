import { setTimeout as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { BlobStorage, Clock, RateLimited, StorageUnavailable, withoutSlot } from '@passwright/core';
import { Database } from '@passwright/database';
import type { EntityManager } from 'typeorm';
import { eachAtOnce } from '../storage/each-at-once.js';
import { StoredImagesRepository } from '../storage/stored-images.repository.js';
import { ImageLeasesRepository } from './image-leases.repository.js';

/** The duration of a lease: longer than any request takes from storing an image to saving its key. */
const leaseMs = 15 * 60_000;
const lookMs = 50;
const mostLooks = 200;

/**
 * Protects the images of a request from the garbage collector, which deletes only images without a lease. A request
 * leases an image, then stores it, then saves the template or pass that shows it. If the image is being deleted, the
 * request waits.
 */
@Injectable()
export class ImageLeases {
  constructor(
    private readonly database: Database,
    private readonly repository: ImageLeasesRepository,
    private readonly stored: StoredImagesRepository,
    private readonly storage: BlobStorage,
    private readonly clock: Clock,
  ) {}

  /**
   * Leases images. Waits while one of them is being deleted, and frees the request's slot in the concurrency limiter
   * meanwhile. Never call it in a transaction.
   * @throws RateLimited after ten seconds.
   * @throws NotReady
   */
  async take(accountId: string, keys: readonly string[]): Promise<void> {
    let left: readonly string[] = [...new Set(keys)];
    await onceDeleted(async () => {
      const taken = await this.repository.take(accountId, left, this.until(), false);
      left = left.filter((key) => !taken.has(key));
      return left.length === 0;
    });
  }

  /**
   * Leases an upload like `take`, and runs `also` in the same transaction, so that an upload needs only one commit. If
   * `also` throws, the upload is not leased. @throws the error of `also`
   */
  async takeUpload(accountId: string, key: string, also: (tx: EntityManager) => Promise<void>): Promise<void> {
    await onceDeleted(() =>
      this.database.transaction(async (tx) => {
        const taken = await this.repository.take(accountId, [key], this.until(), true, tx);
        if (taken.has(key)) await also(tx);
        return taken.has(key);
      }),
    );
  }

  /**
   * Leases images that a template or pass already shows. While storage is unavailable, checks only the database's list
   * of stored images, so that callers can save changes that need no new image.
   * @returns false if one of the images was deleted.
   * @throws StorageUnavailable
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

  private until(): Date {
    return new Date(this.clock.now().getTime() + leaseMs);
  }
}

/**
 * Calls `take` until it returns true; false means that an image is still being deleted. Meanwhile, frees the request's
 * slot in the concurrency limiter.
 * @throws RateLimited after ten seconds
 */
async function onceDeleted(take: () => Promise<boolean>): Promise<void> {
  if (!(await take())) await withoutSlot(() => retried(take));
}

async function retried(take: () => Promise<boolean>): Promise<void> {
  for (let look = 0; look < mostLooks; look++) {
    await pause(lookMs);
    if (await take()) return;
  }
  throw new RateLimited('An image of the same content is being deleted at this moment; try again.', 5);
}
