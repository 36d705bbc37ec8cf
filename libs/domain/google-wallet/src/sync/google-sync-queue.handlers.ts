import { Injectable } from '@nestjs/common';
import { GoogleServiceAccountChanged } from '@passwright/wallet-credentials';
import { Clock } from '@passwright/core';
import { Database } from '@passwright/database';
import { type JobContext, JobHandler, Jobs } from '@passwright/jobs';
import type { EntityManager } from 'typeorm';
import {
  type ChangedFront,
  type PassSerial,
  RelatedPassesRepository,
  type SentNotice,
  type TimelyMessage,
} from '@passwright/passes';
import { ownLanguage } from '@passwright/wallet-renderers';
import { GoogleWalletOptions } from '../google-wallet.options.js';
import { withChanges } from '../messages/change-messages.js';
import { GoogleQuietHours } from '../messages/google-quiet-hours.service.js';
import { localisedMessage } from '../messages/localised-message.js';
import { ObjectMessagesRepository, type ReplacedMessages } from '../messages/object-messages.repository.js';
import { ChangedResourcesRepository } from './changed-resources.repository.js';
import { GoogleObjectsToMark, GoogleResourcesDue, LinkingObjectsToMark, type MarkPosition } from './google.jobs.js';

const sliceMs = 10_000;
const pageSize = 1000;
/**
 * Maximum number of serial numbers that one statement reads. It is large, because each statement has to find all
 * linking passes first.
 */
const linkingAtOnce = 20_000;
const linkingPageSize = 500;
const fromTheFirst: MarkPosition = { id: '', issuerId: '' };

/**
 * Marks the Google resources of changed passes and templates as due, so that they are written. A resource exists only
 * if a link to it was requested.
 */
@Injectable()
export class GoogleSyncQueue {
  constructor(
    private readonly changed: ChangedResourcesRepository,
    private readonly related: RelatedPassesRepository,
    private readonly quietHours: GoogleQuietHours,
    private readonly messages: ObjectMessagesRepository,
    private readonly options: GoogleWalletOptions,
    private readonly database: Database,
    private readonly jobs: Jobs,
    private readonly clock: Clock,
  ) {}

  /** Marks the objects of changed, deleted or expired passes as due, within the transaction of the change. */
  async passesChanged(tx: EntityManager, passes: readonly PassSerial[]): Promise<void> {
    const holders = await this.changed.markPasses(tx, passes, this.clock.now());
    await this.jobs.addMany(
      tx,
      holders.map((accountId) => new GoogleResourcesDue({ accountId })),
    );
  }

  /**
   * Marks the objects of passes of one account as due, and queues messages about their changed front fields, in the
   * transaction of the change.
   * @returns the lines that the holders of one of the passes will see
   */
  async frontsChanged(tx: EntityManager, fronts: readonly ChangedFront[]): Promise<readonly SentNotice[]> {
    const [first] = fronts;
    if (!first) return [];
    const { accountId } = first;
    const now = this.clock.now();
    const objects = await this.changed.markFronts(tx, fronts, now);
    if (objects.length > 0) await this.jobs.add(tx, new GoogleResourcesDue({ accountId }));
    const atGoogle = objects.filter(({ isAtGoogle }) => isAtGoogle);
    const quietUntil = atGoogle.length > 0 ? await this.quietHours.until(accountId, now, tx) : null;
    const byPass = new Map(fronts.map((front) => [front.serialNumber, front]));
    const replaced: ReplacedMessages[] = [];
    let notices: readonly SentNotice[] = [];
    for (const object of atGoogle) {
      const front = byPass.get(object.serialNumber);
      if (!front || front.changes.length === 0) continue;
      const language = ownLanguage(front, this.options.language);
      const changed = withChanges(object, { ...front, language }, now, quietUntil);
      const { issuerId, id } = object;
      if (changed.messages !== object.messages) replaced.push({ issuerId, id, messages: changed.messages });
      notices = changed.notices;
    }
    await this.messages.replace(tx, accountId, replaced);
    return notices;
  }

  /** Adds a message for the holders of passes of one account within the transaction of the change. */
  async notifyHolders(tx: EntityManager, passes: readonly PassSerial[], message: TimelyMessage): Promise<void> {
    const [first] = passes;
    if (!first) return;
    const localised = localisedMessage(message, this.options.language);
    const isHeld = await this.changed.notifyHolders(tx, passes, localised, this.clock.now());
    if (isHeld) await this.jobs.add(tx, new GoogleResourcesDue({ accountId: first.accountId }));
  }

  /** Plans a comparison of the class and all objects of a template with the content that Google should have. */
  templateChanged(tx: EntityManager, accountId: string, templateId: string): Promise<void> {
    return this.jobs.add(tx, new GoogleObjectsToMark({ accountId, templateId, after: fromTheFirst }));
  }

  @JobHandler(GoogleObjectsToMark)
  async mark({ accountId, templateId, after }: GoogleObjectsToMark['payload'], { signal }: JobContext): Promise<void> {
    const endsAt = this.clock.now().getTime() + sliceMs;
    for (let position: MarkPosition | null = after; position !== null;) {
      if (signal.aborted || this.clock.now().getTime() >= endsAt) {
        const left = new GoogleObjectsToMark({ accountId, templateId, after: position });
        return this.database.transaction((tx) => this.jobs.add(tx, left));
      }
      position = await this.markPage(accountId, templateId, position);
    }
  }

  /** Marks the objects of all passes that link to one pass as due. Any number of passes may link to it. */
  @JobHandler(LinkingObjectsToMark)
  async markLinking(
    { accountId, serialNumber, after }: LinkingObjectsToMark['payload'],
    { signal }: JobContext,
  ): Promise<void> {
    const endsAt = this.clock.now().getTime() + sliceMs;
    const serials = await this.related.linking(accountId, serialNumber, { after, limit: linkingAtOnce });
    let marked = 0;
    while (marked < serials.length && !signal.aborted && this.clock.now().getTime() < endsAt) {
      await this.markLinkingPage(accountId, serials.slice(marked, marked + linkingPageSize));
      marked += linkingPageSize;
    }
    if (marked >= serials.length && serials.length < linkingAtOnce) return;
    const left = { accountId, serialNumber, after: serials[Math.min(marked, serials.length) - 1] ?? after };
    await this.database.transaction((tx) => this.jobs.add(tx, new LinkingObjectsToMark(left)));
  }

  /**
   * Marks all resources of the account as due, because the new service account may be able to write what the old one
   * could not.
   */
  @JobHandler(GoogleServiceAccountChanged)
  serviceAccountChanged({ accountId }: GoogleServiceAccountChanged['payload']): Promise<void> {
    return this.database.transaction((tx) => this.accountChanged(tx, accountId));
  }

  /** Plans a comparison of all resources of an account with the content that Google should have. */
  accountChanged(tx: EntityManager, accountId: string): Promise<void> {
    return this.jobs.add(tx, new GoogleObjectsToMark({ accountId, templateId: null, after: fromTheFirst }));
  }

  private markLinkingPage(accountId: string, serials: readonly string[]): Promise<void> {
    const passes = serials.map((serialNumber) => ({ accountId, serialNumber }));
    return this.database.transaction(async (tx) => {
      const holders = await this.changed.markPasses(tx, passes, this.clock.now());
      if (holders.length > 0) await this.jobs.add(tx, new GoogleResourcesDue({ accountId }));
    });
  }

  private markPage(accountId: string, templateId: string | null, after: MarkPosition): Promise<MarkPosition | null> {
    return this.database.transaction(async (tx) => {
      const page = await this.changed.markMany(tx, { accountId, templateId }, after, pageSize, this.clock.now());
      if (page.marked > 0) await this.jobs.add(tx, new GoogleResourcesDue({ accountId }));
      return page.last;
    });
  }
}
