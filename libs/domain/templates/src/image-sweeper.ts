import { Injectable } from '@nestjs/common';
import { BlobStorage, Clock, Scheduled } from '@passwright/core';
import { Database } from '@passwright/database';
import { type JobContext, JobHandler, Jobs } from '@passwright/jobs';
import type { EntityManager } from 'typeorm';
import { ImageHoldsRepository } from './image-holds.repository.js';
import { uploadKeyOf } from './image-key.js';
import { ImagesReleased } from './images.jobs.js';
import { StoredImagesRepository } from './stored-images.repository.js';
import { imagePurposes, type PreparedImage, type TemplateImages } from './template-images.js';

const batch = 500;
const claimMs = 60_000;
const deletingMs = 30_000;
/** As long as mails are kept. */
const templateImageMs = 400 * 24 * 60 * 60_000;
/** Until something has to name an upload. */
const uploadMs = 24 * 60 * 60_000;

/**
 * Deletes stored images that nothing names any more, soon after the last that did. Templates and passes that share one
 * keep it; so does whoever is about to name it (`ImageHolds`).
 */
@Injectable()
export class ImageSweeper {
  constructor(
    private readonly holds: ImageHoldsRepository,
    private readonly stored: StoredImagesRepository,
    private readonly storage: BlobStorage,
    private readonly database: Database,
    private readonly jobs: Jobs,
    private readonly clock: Clock,
  ) {}

  /**
   * An image is named no more, neither its sizes nor the upload that it was made from: in the transaction of that.
   * @param now what is named instead
   */
  async release(tx: EntityManager, accountId: string, image: PreparedImage | null, now: PreparedImage | null = null) {
    if (!image) return;
    const upload = uploadKeyOf(accountId, image.url);
    const kept = new Set([...keysOf(now), now && uploadKeyOf(accountId, now.url)]);
    const keys = keysOf(image).filter((key) => key !== upload && !kept.has(key));
    const { source, recipe } = image;
    const jobs = keys.length > 0 ? [new ImagesReleased({ accountId, keys, source, recipe })] : [];
    // By itself: passes with the same upload in sizes of another recipe keep it, but none of these sizes.
    if (upload && !kept.has(upload)) jobs.push(uploadReleased(accountId, upload, source));
    await this.jobs.addMany(tx, jobs);
  }

  /**
   * A template shows other images, or is gone: in the transaction of that. Those of before are looked at 400 days after they
   * were shown last: mails show them for as long as mails are kept, and a back-up of before may be restored.
   * @param now what the template shows instead
   */
  async releaseLater(tx: EntityManager, accountId: string, before: TemplateImages, now: TemplateImages = {}) {
    const later = new Date(this.clock.now().getTime() + templateImageMs);
    const jobs = imagePurposes.flatMap((purpose) => {
      const image = before[purpose];
      if (!image || isSame(image, now[purpose])) return [];
      const { url, source, recipe } = image;
      const upload = uploadKeyOf(accountId, url);
      const keys = keysOf(image).filter((key) => key !== upload);
      const sizes = new ImagesReleased(
        { accountId, keys, source, recipe },
        later,
        `${accountId} ${purpose} ${source} ${recipe}`,
      );
      if (!upload) return [sizes];
      return [sizes, new ImagesReleased({ accountId, keys: [upload], source, recipe: null }, later, `shown ${upload}`)];
    });
    await this.jobs.addMany(tx, jobs);
  }

  /** An upload is about to be stored, anew or again: if nothing names it a day later it is deleted. */
  async expectUse(accountId: string, key: string, source: string): Promise<void> {
    const { payload } = uploadReleased(accountId, key, source);
    const later = new Date(this.clock.now().getTime() + uploadMs);
    await this.database.transaction((tx) => this.jobs.add(tx, new ImagesReleased(payload, later, key)));
  }

  @JobHandler(ImagesReleased)
  async sweep(released: ImagesReleased['payload'], { signal }: JobContext): Promise<void> {
    const { accountId, keys, source, recipe } = released;
    if (await this.holds.hasPassOf(accountId, source, recipe)) return;
    const heldUntil = await this.deleteUnused(accountId, keys, signal);
    if (!heldUntil) return;
    await this.database.transaction((tx) => this.jobs.add(tx, new ImagesReleased(released, heldUntil)));
  }

  /** What was prepared for something that then was not saved. Uploads have a day: see `expectUse`. */
  @Scheduled({ name: 'images.sweep-prepared', crontab: '*/10 * * * *' })
  async sweepPrepared({ signal }: JobContext): Promise<void> {
    for (;;) {
      const ended = await this.holds.listEnded(this.clock.now(), batch);
      for (const accountId of new Set(ended.map((hold) => hold.accountId))) {
        const own = ended.filter((hold) => hold.accountId === accountId);
        const uploads = own.filter(({ upload }) => upload).map(({ key }) => key);
        await this.database.transaction((tx) => this.holds.endUploads(tx, accountId, uploads));
        const others = own.filter(({ upload }) => !upload).map(({ key }) => key);
        await this.deleteUnused(accountId, others, signal);
      }
      if (ended.length < batch) return;
    }
  }

  /** @returns until when some of them are held */
  private async deleteUnused(accountId: string, keys: readonly string[], signal: AbortSignal): Promise<Date | null> {
    if (keys.length === 0) return null;
    signal.throwIfAborted();
    const now = this.clock.now();
    const times = { now, claimedUntil: new Date(now.getTime() + claimMs) };
    const { unused, heldUntil } = await this.database.transaction((tx) =>
      this.holds.beginDeletion(tx, accountId, keys, times),
    );
    for (const key of unused) {
      // When the claim is over somebody else may delete it, and then a third store it anew.
      if (this.clock.now().getTime() > now.getTime() + deletingMs) throw new Error('Deleting images took too long');
      await this.storage.delete(key);
    }
    await this.database.transaction(async (tx) => {
      await this.stored.remove(tx, accountId, unused);
      await this.holds.endDeletion(tx, accountId, unused);
    });
    return heldUntil;
  }
}

function uploadReleased(accountId: string, key: string, source: string): ImagesReleased {
  return new ImagesReleased({ accountId, keys: [key], source, recipe: null });
}

function keysOf(image: PreparedImage | null): string[] {
  return [...new Set(image?.files.map(({ key }) => key))];
}

function isSame(image: PreparedImage, other: PreparedImage | undefined): boolean {
  return other?.url === image.url && other.source === image.source && other.recipe === image.recipe;
}
