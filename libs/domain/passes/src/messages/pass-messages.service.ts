import { Injectable } from '@nestjs/common';
import { Database } from '@passwright/database';
import { shareTemplate } from '@passwright/templates';
import type { EntityManager } from 'typeorm';
import type { PassMessage } from '../content/pass.entity.js';
import type { TimelyMessage } from '../listeners/pass.listener.js';
import { PassChangeNotifier } from '../listeners/pass-change-notifier.service.js';
import { type Audience, type AudiencePass, MessagedPassesRepository } from '../wallets/messaged-passes.repository.js';

/** Details of a message that only Google needs: the heading, and the texts in other languages. */
interface MessageAtGoogle extends Pick<TimelyMessage, 'header' | 'language' | 'translations'> {
  readonly now: Date;
  readonly until: Date;
  readonly urgent: boolean;
}

/** Adds messages to passes, which notifies the holders. */
@Injectable()
export class PassMessagesService {
  constructor(
    private readonly database: Database,
    private readonly repository: MessagedPassesRepository,
    private readonly notifier: PassChangeNotifier,
  ) {}

  /** Returns the next passes of a template in the order of their ids, including passes that the audience excludes. */
  page(audience: Audience, afterPassId: string, limit: number, now: Date): Promise<AudiencePass[]> {
    return this.repository.page(this.database.reads, audience, afterPassId, limit, now, false);
  }

  /** Works like `page`. Locks the template and the passes until `tx` ends. */
  async lockPage(
    tx: EntityManager,
    audience: Audience,
    afterPassId: string,
    limit: number,
    now: Date,
  ): Promise<AudiencePass[]> {
    await shareTemplate(tx, audience.accountId, audience.templateId);
    return this.repository.page(tx, audience, afterPassId, limit, now, true);
  }

  /**
   * Prepares locked passes for their first message, so that devices can show the message as a change. Devices fetch the
   * prepared version, but holders see nothing.
   * @param serialNumbers at most 1000
   */
  async prepare(tx: EntityManager, accountId: string, serialNumbers: readonly string[], now: Date): Promise<void> {
    if (serialNumbers.length === 0) return;
    const changed = await this.repository.prepare(tx, accountId, serialNumbers, now);
    await this.notifier.passesChanged(tx, serialsOf(accountId, changed));
  }

  /**
   * Adds a message to locked passes and notifies their holders.
   * @param serialNumbers at most 1000. @param until the time after which Google's holders are no longer notified.
   * @param header the heading at Google. @param urgent true to notify Google's holders even in quiet hours
   */
  async show(
    tx: EntityManager,
    accountId: string,
    serialNumbers: readonly string[],
    message: Omit<PassMessage, 'sentAt'>,
    { now, until, urgent, ...texts }: MessageAtGoogle,
  ): Promise<void> {
    if (serialNumbers.length === 0) return;
    const changed = serialsOf(accountId, await this.repository.show(tx, accountId, serialNumbers, message, now));
    await this.notifier.passesChanged(tx, changed);
    const { id, text: body, topic } = message;
    const atGoogle = { id, body, until: until.toISOString(), topic, ...texts, ...(urgent && { urgent }) };
    await this.notifier.messagesSent(tx, changed, atGoogle);
  }
}

function serialsOf(accountId: string, serialNumbers: readonly string[]) {
  return serialNumbers.map((serialNumber) => ({ accountId, serialNumber }));
}
