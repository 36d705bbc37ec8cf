import { Injectable } from '@nestjs/common';
import { nextUpdate } from '@passwright/core';
import { ImageGarbageCollector } from '@passwright/images';
import type { EntityManager } from 'typeorm';
import { PassChangeNotifier } from '../listeners/pass-change-notifier.service.js';
import { makeChanges } from './pass-changes.js';
import type { Pass } from './pass.entity.js';
import { type IssuedPass, PassesRepository } from './passes.repository.js';

/** Writes what has changed of a locked pass, and tells the devices that hold it if they see anything of that. */
@Injectable()
export class PassWriter {
  constructor(
    private readonly repository: PassesRepository,
    private readonly notifier: PassChangeNotifier,
    private readonly images: ImageGarbageCollector,
  ) {}

  /** Writes nothing when it is so already. @throws PassExists when its new code is taken */
  async write(tx: EntityManager, issued: IssuedPass, changes: Partial<Pass>, now: Date): Promise<IssuedPass> {
    const { accountId, thumbnail } = issued.pass;
    const changed = makeChanges(issued.pass, changes, issued.templateUpdatedAt, now);
    if (changed !== 'nothing') await this.repository.update(tx, issued.pass);
    if (changed === 'content') await this.images.release(tx, accountId, thumbnail, issued.pass.thumbnail);
    if (changed === 'content') await this.notifier.passChanged(tx, issued.pass);
    return issued;
  }

  /** Leaves a tombstone, from which devices that still hold the pass get a voided one. Its own picture goes with it. */
  async delete(tx: EntityManager, { pass, templateUpdatedAt }: IssuedPass, now: Date): Promise<void> {
    await this.repository.delete(tx, pass, nextUpdate(now, pass.updatedAt, templateUpdatedAt));
    await this.notifier.passChanged(tx, pass);
    await this.images.release(tx, pass.accountId, pass.thumbnail);
  }
}
