import { Injectable, Logger } from '@nestjs/common';
import { Clock, loggedError } from '@passwright/core';
import { Database } from '@passwright/database';
import { type Pass, titlesOf } from '@passwright/passes';
import { type Template, type TemplateFront, TemplateVersionsRepository } from '@passwright/templates';
import { currentLines, type FrontChange, frontChanges, ownLanguage } from '@passwright/wallet-renderers';
import { GoogleWalletOptions } from '../google-wallet.options.js';
import { isAnnouncedByGoogle, personalKeys, withChanges, withPersonalTexts } from '../messages/change-messages.js';
import type { StoredMessage } from '../messages/google-messages.js';
import { GoogleQuietHours } from '../messages/google-quiet-hours.service.js';
import { ObjectMessagesRepository, type ReplacedMessages } from '../messages/object-messages.repository.js';
import type { GoogleContent } from './google-content.repository.js';
import { type ClaimedResource, mayNotify } from './google-resource.js';

/** A claimed object with its pass and template. */
interface ClaimedObject {
  readonly resource: ClaimedResource;
  readonly template: Template;
  readonly pass: Pass;
}

/** A claimed object, and the front fields that have changed with its template. */
interface TemplateChanges extends ClaimedObject {
  readonly changes: readonly FrontChange[];
}

/** Claimed resources with the messages for their write. */
export interface PreparedResources {
  readonly prepared: readonly ClaimedResource[];
  /** The end of the current quiet hours; null outside of quiet hours. */
  readonly quietUntil: Date | null;
}

/**
 * Prepares the messages of claimed objects for their write, and reads the texts that are not stored. Also queues
 * messages about template changes, because a change itself must not write to all passes of its template.
 */
@Injectable()
export class MessagePreparation {
  private readonly logger = new Logger('GoogleWallet');

  constructor(
    private readonly messages: ObjectMessagesRepository,
    private readonly versions: TemplateVersionsRepository,
    private readonly quietHours: GoogleQuietHours,
    private readonly options: GoogleWalletOptions,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /**
   * Returns the claimed resources of one account and issuer with their messages. Sets `notifiedRevision` to the
   * template revision that holders know after the write.
   */
  async prepare(
    accountId: string,
    claimed: readonly ClaimedResource[],
    content: GoogleContent,
  ): Promise<PreparedResources> {
    const objects = claimed.flatMap((resource): ClaimedObject[] => {
      const pass = content.passes.get(resource.serialNumber ?? '');
      const template = content.templates.get(resource.templateId);
      return pass && template?.type === resource.type ? [{ resource, template, pass }] : [];
    });
    const queued = await this.queueChanges(await this.changesOf(objects));
    const prepared = new Map(
      objects.map(({ resource, template, pass }) => {
        const messages = queued.get(resource.id);
        const notifiedRevision = messages === null ? resource.notifiedRevision : template.revision;
        const own = { ...resource, notifiedRevision, ...(messages && { messages }) };
        return [resource.id, { ...own, messages: this.readMessages(own, template, pass) }];
      }),
    );
    const all = claimed.map((resource) => prepared.get(resource.id) ?? resource);
    const quietUntil = all.some(mayNotify) ? await this.quietHours.until(accountId, this.clock.now()) : null;
    return { prepared: all, quietUntil };
  }

  /** Returns the template changes that holders do not know yet. */
  private async changesOf(objects: readonly ClaimedObject[]): Promise<TemplateChanges[]> {
    const behind = objects.filter(({ resource, template }) => {
      // An empty hash means that the content at Google is unknown, and so are the values that holders know.
      const isKnown = resource.sentHash !== null && resource.sentHash.length > 0;
      return isKnown && (resource.notifiedRevision ?? 0) < template.revision;
    });
    const [first] = behind;
    if (!first) return [];
    const known = new Map(behind.map(({ resource }) => [keyOf(resource), resource]));
    const fronts = await this.versions.find(
      first.resource.accountId,
      [...known.values()].map(({ templateId, notifiedRevision }) => ({ templateId, revision: notifiedRevision ?? 0 })),
    );
    const earlier = new Map([...known.keys()].map((key, at) => [key, fronts[at] ?? null]));
    return behind.flatMap((object) => {
      const front = earlier.get(keyOf(object.resource));
      const changes = front ? this.linesOf(object, front) : [];
      return changes.length > 0 ? [{ ...object, changes }] : [];
    });
  }

  /**
   * Returns the changes that a message announces. Omits the details of an event, because Google itself announces them.
   */
  private linesOf({ template, pass }: ClaimedObject, front: TemplateFront): FrontChange[] {
    try {
      const before = { template: { ...template, ...front }, pass };
      const changes = frontChanges(before, { template, pass }, this.clock.now());
      return changes.filter((change) => change.message !== null && !isAnnouncedByGoogle(template, change));
    } catch (error) {
      this.logger.error({ err: loggedError(error) });
      return [];
    }
  }

  /**
   * Queues messages before the write. After a crash, the next process then uses the same message, and can ask Google
   * for it.
   * @returns the messages by object; null for an object that has changed since the claim, whose next write adds the
   * message
   */
  private async queueChanges(
    changed: readonly TemplateChanges[],
  ): Promise<ReadonlyMap<string, readonly StoredMessage[] | null>> {
    const [first] = changed;
    if (!first) return new Map();
    const { accountId, issuerId } = first.resource;
    const ids = changed.map(({ resource }) => resource.id);
    return this.database.transaction(async (tx) => {
      const locked = await this.messages.lockClaimed(tx, first.resource, ids);
      const current = new Map(locked.map((object) => [object.id, object]));
      const replaced = changed.flatMap(({ resource, template, changes }): ReplacedMessages[] => {
        const object = current.get(resource.id);
        if (object?.changes !== resource.changes) return [];
        const isBeingWritten = resource.openClaims > 1;
        const front = { ...this.titlesIn(template), changes };
        const { messages } = withChanges({ messages: object.messages, isBeingWritten }, front, this.clock.now());
        return [{ issuerId, id: resource.id, messages, notifiedRevision: template.revision }];
      });
      await this.messages.replace(tx, accountId, replaced);
      const messages = new Map(replaced.map((object) => [object.id, object.messages]));
      return new Map(ids.map((id) => [id, messages.get(id) ?? null]));
    });
  }

  /** Returns the messages of an object with the texts of their personal lines. */
  private readMessages(
    { messages }: Pick<ClaimedResource, 'messages'>,
    template: Template,
    pass: Pass,
  ): readonly StoredMessage[] | null {
    if (!messages) return null;
    const keys = personalKeys(messages);
    if (keys.size === 0) return messages;
    const lines = currentLines({ template, pass }, keys);
    return messages.map((message) => {
      return personalKeys([message]).size > 0 ? withPersonalTexts(message, this.titlesIn(template), lines) : message;
    });
  }

  private titlesIn(template: Template) {
    return { ...titlesOf(template), language: ownLanguage(template, this.options.language) };
  }
}

/** Returns a key for the template's front fields that an object shows. */
function keyOf({ templateId, notifiedRevision }: Pick<ClaimedResource, 'templateId' | 'notifiedRevision'>): string {
  return `${notifiedRevision ?? 0}/${templateId}`;
}
