import { Injectable } from '@nestjs/common';
import { nextUpdate } from '@passwright/core';
import { ImageGarbageCollector } from '@passwright/images';
import type { EntityManager } from 'typeorm';
import { PassChangeNotifier } from '../listeners/pass-change-notifier.service.js';
import { makeChanges } from '../content/pass-changes.js';
import type { Pass } from '../content/pass.entity.js';
import type { IssuedPass } from '../content/issued-pass.js';
import { PassesRepository } from './passes.repository.js';

/** Writes the changes of a locked pass, and notifies the devices that hold it if a holder can see them. */
@Injectable()
export class PassWriter {
  constructor(
    private readonly repository: PassesRepository,
    private readonly notifier: PassChangeNotifier,
    private readonly images: ImageGarbageCollector,
  ) {}

  /** Writes nothing if the pass already has these values. @throws PassExists if its new code is taken */
  async write(tx: EntityManager, issued: IssuedPass, changes: Partial<Pass>, now: Date): Promise<IssuedPass> {
    const { accountId, thumbnail } = issued.pass;
    const changed = makeChanges(issued.pass, changes, issued.templateUpdatedAt, now);
    if (changed !== 'nothing') await this.repository.update(tx, issued.pass);
    if (changed === 'content') await this.images.release(tx, accountId, thumbnail, issued.pass.thumbnail);
    if (changed === 'content') await this.notifier.passChanged(tx, issued.pass);
    return issued;
  }

  /**
   * Deletes a pass and its own image. Leaves a tombstone, so that devices that still hold the pass get a void version.
   */
  async delete(tx: EntityManager, { pass, templateUpdatedAt }: IssuedPass, now: Date): Promise<void> {
    await this.repository.delete(tx, pass, nextUpdate(now, pass.updatedAt, templateUpdatedAt));
    await this.notifier.passChanged(tx, pass);
    await this.images.release(tx, pass.accountId, pass.thumbnail);
  }
}
