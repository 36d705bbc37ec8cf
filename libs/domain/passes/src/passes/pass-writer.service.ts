import { Injectable } from '@nestjs/common';
import { nextUpdate, ValidationFailed } from '@passwright/core';
import { ImageGarbageCollector } from '@passwright/images';
import type { EntityManager } from 'typeorm';
import { type ChangeNotices, changeNotices, noNotices, type Template } from '@passwright/templates';
import { frontChanges } from '@passwright/wallet-renderers';
import { changedFront } from '../listeners/changed-front.js';
import { PassChangeNotifier } from '../listeners/pass-change-notifier.service.js';
import { makeChanges, type PassChange } from '../content/pass-changes.js';
import type { Pass } from '../content/pass.entity.js';
import type { IssuedPass } from '../content/issued-pass.js';
import { type StoredReference, type PassReference, referenceName } from '../content/pass-relations.js';
import { RelatedPassesRepository } from '../wallets/related-passes.repository.js';
import { PassesRepository } from './passes.repository.js';

/** Writes the changes of a locked pass. If a holder can see the changes, notifies the devices that hold the pass. */
@Injectable()
export class PassWriter {
  constructor(
    private readonly repository: PassesRepository,
    private readonly notifier: PassChangeNotifier,
    private readonly images: ImageGarbageCollector,
    private readonly related: RelatedPassesRepository,
  ) {}

  /**
   * Returns the links of a pass in the form in which they are stored. Keeps links that the stored pass already has,
   * because a new pass of another holder may have the ids of a deleted linked pass.
   * @param links the ids in the request
   * @param before the stored pass
   * @throws ValidationFailed for a link of the pass to itself, or to a pass that does not exist in the account
   */
  async linksOf(
    tx: EntityManager,
    pass: Pick<Pass, 'accountId' | 'templateId' | 'id'>,
    links: readonly PassReference[] | null,
    before: Pick<Pass, 'linkedPasses'> | null,
  ): Promise<StoredReference[] | null> {
    if (!links) return null;
    const stored = new Map(before?.linkedPasses?.map((link) => [referenceName(link), link]));
    const added = links.filter((link) => !stored.has(referenceName(link)));
    const own = referenceName({ templateId: pass.templateId, passId: pass.id });
    if (added.some((link) => referenceName(link) === own))
      throw new ValidationFailed('linkedPasses must not name the pass itself');
    const existing = await this.related.existing(tx, pass.accountId, added);
    return links.map((link) => {
      const name = referenceName(link);
      const found = stored.get(name) ?? existing.get(name);
      if (!found) throw new ValidationFailed(missingLink(link));
      return found;
    });
  }

  /**
   * Writes changes of a pass. Does nothing if the pass already has these values.
   * @throws PassExists if its new code is taken
   */
  async write(tx: EntityManager, issued: IssuedPass, changes: Partial<Pass>, now: Date): Promise<IssuedPass> {
    if (concernsWallets(await this.update(tx, issued, changes, now))) await this.notifier.passChanged(tx, issued.pass);
    return issued;
  }

  /**
   * Works like `write`, and also notifies holders of changed front fields.
   * @returns the notices that holders see
   * @throws PassExists if its new code is taken
   */
  async writeAndTell(
    tx: EntityManager,
    template: Template,
    issued: IssuedPass,
    changes: Partial<Pass>,
    now: Date,
  ): Promise<ChangeNotices> {
    const { pass } = issued;
    const before = { template, pass: { ...pass } };
    if (!concernsWallets(await this.update(tx, issued, changes, now))) return noNotices;
    const after = { template, pass };
    const changed = frontChanges(before, after, now);
    if (changed.length === 0) {
      await this.notifier.passChanged(tx, pass);
      return noNotices;
    }
    const sent = await this.notifier.frontChanged(tx, changedFront(template, pass, changed));
    return changeNotices(changed, after, sent, now);
  }

  /**
   * Writes changes of a pass without notifying wallets. Does nothing if the pass already has these values.
   */
  async update(tx: EntityManager, issued: IssuedPass, changes: Partial<Pass>, now: Date): Promise<PassChange> {
    const { accountId, thumbnail, code } = issued.pass;
    const changed = makeChanges(issued.pass, changes, issued.templateUpdatedAt, now);
    if (changed !== 'nothing') await this.repository.update(tx, issued.pass, code);
    if (changed === 'content') await this.images.release(tx, accountId, thumbnail, issued.pass.thumbnail);
    return changed;
  }

  /** Deletes a pass and its own image. Stores a tombstone, so that devices that hold the pass get a void version. */
  async delete(tx: EntityManager, { pass, templateUpdatedAt }: IssuedPass, now: Date): Promise<void> {
    await this.repository.delete(tx, pass, nextUpdate(now, pass.updatedAt, templateUpdatedAt));
    await this.notifier.passChanged(tx, pass);
    await this.images.release(tx, pass.accountId, pass.thumbnail);
  }
}

/** Returns true for a change that a wallet may have to show. */
export function concernsWallets(change: PassChange): boolean {
  return change === 'content' || change === 'state';
}

function missingLink({ templateId, passId }: PassReference): string {
  return `linkedPasses names pass "${passId}" of a template "${templateId}", which does not exist; issue it first, or remove it from the list`;
}
