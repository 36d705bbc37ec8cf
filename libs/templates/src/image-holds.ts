import { setTimeout as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { BlobStorage, Clock, RateLimited } from '@passwright/core';
import { ImageHoldsRepository } from './image-holds.repository.js';

/** Longer than any request takes from storing an image to the commit of what names it. */
const holdMs = 15 * 60_000;
const lookMs = 50;
const mostLooks = 200;

/**
 * Keeps stored images from being deleted between the moment they are prepared and the commit of what names them: they are
 * held first, then stored, then named. Who deletes one makes sure that nobody holds it, and lets nobody hold it until it is
 * gone; who comes then stores it anew.
 */
@Injectable()
export class ImageHolds {
  constructor(
    private readonly repository: ImageHoldsRepository,
    private readonly storage: BlobStorage,
    private readonly clock: Clock,
  ) {}

  /** Waits while one of them is being deleted. Outside of transactions. @throws RateLimited after ten seconds of that */
  async take(accountId: string, keys: readonly string[], { upload = false } = {}): Promise<void> {
    let wanted = [...new Set(keys)];
    for (let look = 0; look < mostLooks; look++) {
      const until = new Date(this.clock.now().getTime() + holdMs);
      const taken = await this.repository.take(accountId, wanted, until, upload);
      wanted = wanted.filter((key) => !taken.has(key));
      if (wanted.length === 0) return;
      await pause(lookMs);
    }
    throw new RateLimited('An image of the same content is being deleted at this moment; try again.', 5);
  }

  /** Holds images that were stored before. @returns false when one of them is not there any more */
  async takeStored(accountId: string, keys: readonly string[]): Promise<boolean> {
    await this.take(accountId, keys);
    for (const key of new Set(keys)) {
      const blob = await this.storage.open(key);
      if (!blob) return false;
      blob.stream.destroy();
    }
    return true;
  }
}
