import { newId, ValidationFailed } from '@passwright/core';
import type { PassAddress } from '@passwright/passes';
import { storedTranslations } from '@passwright/templates';
import { characterCount, type MessageTranslations, type Translations } from '@passwright/wallet-renderers';
import {
  defaultStates,
  type MessageFilterDto,
  maxTranslationBytes,
  messageLimits,
  type TemplateMessageRequest,
} from './message-request.dto.js';
import type { MessageFilter, MessageRow } from './message.entity.js';

const yearMs = 366 * 24 * 3_600_000;

/** Returns a new message that is due now. @param passId null for a message to many passes. @throws ValidationFailed */
export function newMessage(
  { accountId, templateId, passId }: Omit<PassAddress, 'passId'> & { readonly passId: string | null },
  request: TemplateMessageRequest,
  now: Date,
): MessageRow {
  return {
    accountId,
    id: newId('msg'),
    templateId,
    passId,
    title: request.title ?? null,
    text: request.text,
    translations: translationsOf(request.translations, passId === null),
    topic: request.topic ?? null,
    filter: filterOf(request.filter ?? {}),
    urgent: request.urgent ?? false,
    status: 'scheduled',
    step: 'prepare',
    sendAt: sendAtOf(request.sendAt ?? null, now),
    dueAt: now,
    afterPassId: '',
    prepared: 0,
    ...noCounts(),
    createdAt: now,
    startedAt: null,
    finishedAt: null,
  };
}

/** Returns the counts before the first page. */
function noCounts() {
  return { passes: 0, sent: 0, inApple: 0, inGoogle: 0, neither: 0, skipped: {}, googleOutcomes: {} };
}

function sendAtOf(requested: string | null, now: Date): Date {
  const time = requested === null ? now : new Date(requested);
  if (time.getTime() > now.getTime() + yearMs) throw new ValidationFailed('sendAt must be at most a year ahead');
  return time > now ? time : now;
}

/** Returns requested translations in their stored form; null if there are none. @throws ValidationFailed */
function translationsOf(requested: Translations | null | undefined, isToMany: boolean): MessageTranslations | null {
  for (const [language, texts] of Object.entries(requested ?? {})) {
    const problem = problemOf(texts);
    if (problem) throw new ValidationFailed(`translations[${JSON.stringify(language)}]${problem}`);
  }
  const most = isToMany ? maxTranslationBytes.toMany : maxTranslationBytes.toOne;
  if (Buffer.byteLength(JSON.stringify(requested ?? {})) > most) {
    throw new ValidationFailed(`translations must be at most ${most} bytes in a message to many passes`);
  }
  return storedTranslations(requested) as MessageTranslations | null;
}

function problemOf(texts: Translations[string]): string | null {
  const unknown = Object.keys(texts).find((key) => !Object.hasOwn(messageLimits, key));
  if (unknown !== undefined) return `: ${JSON.stringify(unknown)} is not "title" or "text"`;
  if (texts.text === undefined) return ' must have a text';
  const { title, text } = texts;
  if (title !== undefined && /[\n\t]/.test(title)) return '.title must be a single line: no line breaks or tabs';
  return lengthProblem('text', text) ?? (title === undefined ? null : lengthProblem('title', title));
}

function lengthProblem(name: keyof typeof messageLimits, text: string): string | null {
  if (text.trim() === '') return `.${name} must not be blank`;
  const most = messageLimits[name];
  return characterCount(text) > most ? `.${name} must be at most ${most} characters` : null;
}

function filterOf({ states, fields, expiresFrom, expiresBefore, wallets }: MessageFilterDto): MessageFilter {
  if (expiresFrom && expiresBefore && new Date(expiresFrom) >= new Date(expiresBefore)) {
    throw new ValidationFailed('filter.expiresFrom must be earlier than filter.expiresBefore');
  }
  return {
    states: states ?? defaultStates,
    fields: (fields ?? []).map(({ key, value }) => ({ key, value })),
    expiresFrom: expiresFrom ?? null,
    expiresBefore: expiresBefore ?? null,
    wallets: wallets ?? null,
  };
}
