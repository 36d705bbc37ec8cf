import { Injectable } from '@nestjs/common';
import { Clock } from '@passwright/core';
import { PassMessagesService } from '@passwright/passes';
import type { Template } from '@passwright/templates';
import { messageInLanguage, templateInLanguage, translatedLanguages } from '@passwright/wallet-renderers';
import type { EntityManager } from 'typeorm';
import {
  audienceOf,
  type ChosenPass,
  count,
  MessageAudienceService,
  outcomeAtFirst,
  type SortedPasses,
} from './message-audience.service.js';
import { MessageSettingsService } from './settings/message-settings.service.js';
import type { MessageRow } from './message.entity.js';
import type { MessageRecipientRow } from './message-recipient.entity.js';
import { MessageRecipientsRepository } from './message-recipients.repository.js';
import { MessagesRepository } from './messages.repository.js';

/** Maximum number of passes that one transaction processes. */
export const pageLimits = { passesAtOnce: 500 };
/**
 * The time that devices have to fetch prepared passes. A device that fetches its pass later shows the message, but not
 * on the lock screen.
 */
const fetchMs = 2 * 60_000;
/**
 * A planned message is prepared a second time this long before its time, for passes that holders have added meanwhile.
 */
const secondPreparationMs = 10 * 60_000;
/** How long a message can be sent to Google, and how long Google shows it. */
const validMs = 30 * 24 * 3_600_000;

/**
 * Sends messages in batches of passes. The first step prepares passes that never had a message, because devices show
 * the change of a field only if they already have the field. A planned message repeats this step shortly before its
 * time. The second step adds the message to the passes. The position is committed with each batch, so a crash does not
 * skip or repeat passes.
 */
@Injectable()
export class MessageSender {
  constructor(
    private readonly messages: MessagesRepository,
    private readonly recipients: MessageRecipientsRepository,
    private readonly passes: PassMessagesService,
    private readonly audience: MessageAudienceService,
    private readonly settings: MessageSettingsService,
    private readonly clock: Clock,
  ) {}

  /** Postpones a new message that falls into quiet hours until they end. */
  async plan(tx: EntityManager, message: MessageRow): Promise<void> {
    message.sendAt = await this.settings.sendTime(message, message.sendAt, tx);
  }

  /**
   * Processes the next batch of a locked message.
   * @returns false if nothing is due now
   */
  async advance(tx: EntityManager, template: Template, message: MessageRow): Promise<boolean> {
    const begun = this.clock.now();
    if (!message.dueAt || message.dueAt > begun) return false;
    if (message.step === 'deliver' && (await this.waits(tx, message, begun))) return false;
    const passes = await this.passes.lockPage(
      tx,
      audienceOf(message, template),
      message.afterPassId,
      pageLimits.passesAtOnce,
      begun,
    );
    // Read the clock after locking, because this message must get a later time than earlier messages.
    const now = this.clock.now();
    if (message.step === 'deliver' && (await this.waitsForOthers(tx, message, passes.at(-1)?.passId, now)))
      return false;
    const sorted = await this.audience.sort(message, passes, now, tx);
    if (message.step === 'prepare') await this.prepare(tx, message, sorted.chosen, now);
    else await this.deliver(tx, template, message, { sorted, passes: passes.length, now });
    message.afterPassId = passes.at(-1)?.passId ?? message.afterPassId;
    if (passes.length < pageLimits.passesAtOnce) endStep(message, now);
    await this.messages.update(tx, message);
    return true;
  }

  /** Postpones a message until the end of quiet hours. @returns false if there are no quiet hours now */
  private async waits(tx: EntityManager, message: MessageRow, now: Date): Promise<boolean> {
    const at = await this.settings.sendTime(message, now, tx);
    if (at <= now) return false;
    message.dueAt = at;
    if (!message.startedAt) message.sendAt = at;
    await this.messages.update(tx, message);
    return true;
  }

  /** Postpones a message while earlier messages have not reached the passes, or while devices fetch prepared passes. */
  private async waitsForOthers(
    tx: EntityManager,
    message: MessageRow,
    lastPassId: string | undefined,
    now: Date,
  ): Promise<boolean> {
    const until = lastPassId && (await this.messages.waitsUntil(tx, message, lastPassId, now, fetchMs));
    if (!until) return false;
    // Otherwise, the message stays due, and continues after the earlier messages.
    if (until > now) {
      message.dueAt = until;
      await this.messages.update(tx, message);
    }
    return true;
  }

  private async prepare(
    tx: EntityManager,
    message: MessageRow,
    chosen: readonly ChosenPass[],
    now: Date,
  ): Promise<void> {
    // Count only the second preparation, because phones have already fetched the passes of the first.
    const isSecond = message.createdAt.getTime() <= now.getTime() - fetchMs;
    if (isSecond && message.afterPassId === '') message.prepared = 0;
    const unprepared = chosen.filter(({ isPrepared, isInApple }) => isInApple && !isPrepared);
    await this.passes.prepare(tx, message.accountId, serialsOf(unprepared), now);
    message.prepared += unprepared.length;
  }

  private async deliver(
    tx: EntityManager,
    template: Template,
    message: MessageRow,
    { sorted: all, passes, now }: { readonly sorted: SortedPasses; readonly passes: number; readonly now: Date },
  ): Promise<void> {
    const { accountId, id, title, text, topic, urgent, translations } = message;
    const later = await this.recipients.withLater(
      tx,
      message,
      all.chosen.map(({ passId }) => passId),
    );
    const sorted = withoutSuperseded(all, later);
    const rows = sorted.chosen.map((pass) => recipientOf(message, pass, now));
    const isNew = await this.recipients.insertNew(tx, rows);
    const sent = sorted.chosen.filter(({ serialNumber }) => isNew.has(serialNumber));
    const until = new Date(now.getTime() + validMs);
    const shown = { id, title, text, topic, translations };
    const atGoogle = { urgent, ...textsAtGoogle(template, message) };
    await this.passes.show(tx, accountId, serialsOf(sent), shown, { now, until, ...atGoogle });
    count(message, sorted, sent, passes, outcomeAtFirst);
    message.status = 'sending';
    message.startedAt ??= now;
  }
}

function endStep(message: MessageRow, now: Date): void {
  message.afterPassId = '';
  if (message.step === 'deliver') {
    Object.assign(message, { status: 'sent', dueAt: null, finishedAt: now });
    return;
  }
  const again = message.sendAt.getTime() - secondPreparationMs;
  if (again >= now.getTime() + fetchMs) {
    message.dueAt = new Date(again);
    return;
  }
  message.step = 'deliver';
  planDelivery(message, now);
}

/**
 * Sets the time to add a message to passes: its planned time, or a later time if devices still need to fetch prepared
 * passes.
 */
export function planDelivery(message: MessageRow, now: Date): void {
  const fetched = message.prepared > 0 ? now.getTime() + fetchMs : now.getTime();
  message.dueAt = new Date(Math.max(message.sendAt.getTime(), fetched));
}

/**
 * Returns a message in Google's form, in all its languages. Without a title, the heading is the name of the issuer, in
 * all languages of the template.
 */
function textsAtGoogle(template: Template, message: MessageRow) {
  const textsIn = (language: string) => {
    const { title, text } = messageInLanguage(message, language, template.language);
    return { header: title ?? templateInLanguage(template, language).issuerName, body: text };
  };
  const languages = translatedLanguages(message, message.title === null ? template : {});
  const translations = Object.fromEntries(languages.map((language) => [language, textsIn(language)]));
  return {
    header: message.title ?? template.issuerName,
    language: template.language,
    ...(languages.length > 0 && { translations }),
  };
}

/** Skips the passes that have a later message with the same topic, because an earlier message must not replace it. */
function withoutSuperseded({ chosen, skipped }: SortedPasses, later: ReadonlySet<string>): SortedPasses {
  const rest = chosen.filter(({ passId }) => !later.has(passId));
  const superseded = Array.from({ length: chosen.length - rest.length }, () => 'superseded' as const);
  return { chosen: rest, skipped: [...skipped, ...superseded] };
}

function serialsOf(passes: readonly ChosenPass[]): string[] {
  return passes.map(({ serialNumber }) => serialNumber);
}

function recipientOf({ accountId, id, templateId }: MessageRow, pass: ChosenPass, sentAt: Date): MessageRecipientRow {
  const { serialNumber, passId, isInApple, isInGoogle } = pass;
  const googleOutcome = outcomeAtFirst(pass);
  return { accountId, messageId: id, serialNumber, templateId, passId, isInApple, isInGoogle, googleOutcome, sentAt };
}
