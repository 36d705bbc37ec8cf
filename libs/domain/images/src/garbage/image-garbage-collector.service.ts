import { Injectable } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { BlobStorage, Clock, Listeners } from '@passwright/core';
import { Database } from '@passwright/database';
import { Jobs } from '@passwright/jobs';
import type { EntityManager } from 'typeorm';
import { ImageLeasesRepository } from '../leases/image-leases.repository.js';
import { eachAtOnce } from '../storage/each-at-once.js';
import { uploadKeyOf } from '../storage/image-key.js';
import { ImagesReleased } from './image-garbage.jobs.js';
import { ImageListener } from './image.listener.js';
import { StoredImagesRepository } from '../storage/stored-images.repository.js';
import type { PreparedImage, PreparedImages, PreparedPurpose } from '../variants/prepared-image.js';

const batch = 500;
/** The maximum number of images in one claim. Even a slow bucket can delete this many within `deletingMs`. */
const claimedAtOnce = 50;
const claimMs = 60_000;
const deletingMs = 30_000;
/** Images are kept this long after their template stops showing them, because old mails still show them. */
const templateImageMs = 400 * 24 * 60 * 60_000;
/** An upload is kept this long until a template or pass shows it. */
const uploadMs = 24 * 60 * 60_000;

/**
 * Deletes stored images that no template, pass or request uses. Keeps the images of templates for 400 days after their
 * last use. `ImageListener` reports the images in use, and `ImageLeases` protects images that a request is about to
 * save.
 */
@Injectable()
export class ImageGarbageCollector {
  private readonly listeners: Listeners<ImageListener>;

  constructor(
    private readonly leases: ImageLeasesRepository,
    private readonly stored: StoredImagesRepository,
    private readonly storage: BlobStorage,
    private readonly database: Database,
    private readonly jobs: Jobs,
    private readonly clock: Clock,
    discovery: DiscoveryService,
  ) {
    this.listeners = new Listeners(discovery, ImageListener);
  }

  /**
   * Adds jobs that delete a pass's former image, with its sizes and its upload, if it is no longer used. Call it in the
   * transaction that changes the pass.
   * @param now the image that the pass shows instead
   */
  async release(tx: EntityManager, accountId: string, image: PreparedImage | null, now: PreparedImage | null = null) {
    if (!image) return;
    const upload = uploadKeyOf(accountId, image.url);
    const needed = new Set([...keysOf(now), now && uploadKeyOf(accountId, now.url)]);
    const keys = keysOf(image).filter((key) => key !== upload && !needed.has(key));
    const { source, recipe } = image;
    const jobs = keys.length > 0 ? [new ImagesReleased({ accountId, keys, source, recipe })] : [];
    // Add a separate job for the upload, because a pass with sizes of another version may still use it.
    if (upload && !needed.has(upload)) jobs.push(uploadReleased(accountId, upload, source));
    await this.jobs.addMany(tx, jobs);
  }

  /**
   * Adds jobs that delete, after 400 days, the images that a template no longer shows. Until then, old mails and
   * restored backups may show them. Call it in the transaction that changes the template.
   * @param now the images that the template now shows
   */
  async releaseLater(tx: EntityManager, accountId: string, before: PreparedImages, now: PreparedImages = {}) {
    const later = new Date(this.clock.now().getTime() + templateImageMs);
    const jobs = (Object.keys(before) as PreparedPurpose[]).flatMap((purpose) => {
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

  /**
   * Adds a job that deletes an upload after a day, unless a template or pass shows it. Call this before storing the
   * upload.
   */
  async expectUse(tx: EntityManager, accountId: string, key: string, source: string): Promise<void> {
    const { payload } = uploadReleased(accountId, key, source);
    const later = new Date(this.clock.now().getTime() + uploadMs);
    await this.jobs.add(tx, new ImagesReleased(payload, later, key));
  }

  /**
   * Deletes the images that an `ImagesReleased` job names. Skips images in use. Checks leased images again when their
   * lease ends.
   */
  async collect(released: ImagesReleased['payload'], signal: AbortSignal): Promise<void> {
    const { accountId, keys, source, recipe } = released;
    for (const listener of this.listeners.all) {
      if (await listener.usesSource(accountId, source, recipe)) return;
    }
    const leasedUntil = await this.deleteUnused(accountId, keys, signal);
    if (!leasedUntil) return;
    await this.database.transaction((tx) => this.jobs.add(tx, new ImagesReleased(released, leasedUntil)));
  }

  /** Deletes images that were generated for a template or pass that was never saved. For uploads see `expectUse`. */
  async collectUnsaved(signal: AbortSignal): Promise<void> {
    for (;;) {
      const now = this.clock.now();
      const ended = await this.leases.listEnded(now, batch);
      for (const accountId of new Set(ended.map((lease) => lease.accountId))) {
        const own = ended.filter((lease) => lease.accountId === accountId);
        const uploads = own.filter(({ upload }) => upload).map(({ key }) => key);
        await this.database.transaction((tx) => this.leases.endUploads(tx, accountId, uploads, now));
        const others = own.filter(({ upload }) => !upload).map(({ key }) => key);
        await this.deleteUnused(accountId, others, signal);
      }
      if (ended.length < batch) return;
    }
  }

  /**
   * Deletes the images that are neither leased nor used. @returns when the last lease of these images ends; null
   * without a lease
   */
  private async deleteUnused(accountId: string, keys: readonly string[], signal: AbortSignal): Promise<Date | null> {
    let last: Date | null = null;
    for (let at = 0; at < keys.length; at += claimedAtOnce) {
      signal.throwIfAborted();
      const now = this.clock.now();
      const { unused, leasedUntil } = await this.claimUnused(accountId, keys.slice(at, at + claimedAtOnce), now);
      await this.deleteClaimed(accountId, unused, now, signal);
      if (leasedUntil && (!last || leasedUntil > last)) last = leasedUntil;
    }
    return last;
  }

  /** Deletes claimed images. Records which images it has deleted, even after a failure or an abort. */
  private async deleteClaimed(accountId: string, keys: readonly string[], claimedAt: Date, signal: AbortSignal) {
    const deleted: string[] = [];
    const failures: unknown[] = [];
    await eachAtOnce(keys, async (key) => {
      if (failures.length > 0) return;
      try {
        signal.throwIfAborted();
        this.requireTime(claimedAt, deletingMs);
        await this.storage.delete(key);
        deleted.push(key);
      } catch (error) {
        failures.push(error);
      }
    });
    this.requireTime(claimedAt, claimMs);
    await this.database.transaction(async (tx) => {
      await this.stored.remove(tx, accountId, deleted);
      await this.leases.endDeletion(tx, accountId, deleted);
    });
    if (failures.length > 0) throw failures[0];
  }

  /**
   * Requires that at most `ms` have passed since the claim. After an expired claim, another node or request may use the
   * images.
   * @throws Error if more time has passed
   */
  private requireTime(claimedAt: Date, ms: number): void {
    if (this.clock.now().getTime() > claimedAt.getTime() + ms) throw new Error('Deleting images took too long');
  }

  private claimUnused(accountId: string, keys: readonly string[], now: Date) {
    return this.database.transaction(async (tx) => {
      const claimed = await this.leases.claim(tx, accountId, keys, { now, ms: claimMs });
      // Read the used keys only after claiming. A request saves its key before its lease ends, and leased images cannot
      // be claimed. So this read finds every saved key.
      const used = await this.used(tx, accountId, claimed);
      await this.leases.endDeletion(tx, accountId, [...used]);
      const others = keys.filter((key) => !claimed.includes(key));
      const leasedUntil = await this.leases.leasedUntil(tx, accountId, others);
      return { unused: claimed.filter((key) => !used.has(key)), leasedUntil };
    });
  }

  private async used(tx: EntityManager, accountId: string, keys: readonly string[]): Promise<ReadonlySet<string>> {
    const used = new Set<string>();
    for (const listener of this.listeners.all) {
      const left = keys.filter((key) => !used.has(key));
      if (left.length === 0) break;
      for (const key of await listener.usedKeys(tx, accountId, left)) used.add(key);
    }
    return used;
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
