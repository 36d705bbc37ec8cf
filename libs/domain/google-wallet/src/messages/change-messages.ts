import { createHash } from 'node:crypto';
import { randomId } from '@passwright/core';
import type { ChangedFront, SentNotice } from '@passwright/passes';
import type { ChangeNotice, FrontChange } from '@passwright/wallet-renderers';
import { type ChangeLine, MOST_MESSAGE_BYTES, type StoredMessage, waitingMessages } from './google-messages.js';
import { notificationsLeft } from './notification-limit.js';
import { localisedTexts } from './localised-message.js';

/** How long a message about changes can be sent, and how long the pass shows it. */
const validMs = 7 * 24 * 60 * 60 * 1000;
/** Maximum number of waiting messages about changes. */
const MOST_WAITING = 10;

/** The messages of an object that a transaction has locked. */
export interface LockedMessages {
  readonly messages: readonly StoredMessage[];
  /** True if a worker is writing the object, or if the result of the last write is unknown. */
  readonly isBeingWritten: boolean;
}

/** Changed fields and the title of their template, with the language of these texts. */
export type ChangedTexts = Pick<ChangedFront, 'title' | 'titles' | 'changes'> & { readonly language: string };

/**
 * The messages after a change, and where holders see the changed lines. A change without lines that affects no waiting
 * message leaves `messages` unchanged.
 */
export interface ChangedMessages {
  readonly messages: readonly StoredMessage[];
  readonly notices: readonly SentNotice[];
}

/**
 * Queues a message about changed front fields. If a message is already waiting and Google cannot have it yet, adds the
 * changes to that message, so that holders get only one. Holders get no message if a value returns
 * to what they have already seen.
 * @param quietUntil the end of the current quiet hours; null outside of quiet hours
 */
export function withChanges(
  { messages, isBeingWritten }: LockedMessages,
  front: ChangedTexts,
  now: Date,
  quietUntil: Date | null = null,
): ChangedMessages {
  const { changes } = front;
  const waiting = waitingMessages(messages, now);
  const open = openMessage({ messages, isBeingWritten }, waiting);
  const lines = new Map((open?.lines ?? []).map((line) => [line.key, line]));
  const undone = new Set<string>();
  for (const change of changes) {
    const line = lineOf(change, lines.get(change.key));
    if (line) lines.set(change.key, line);
    else if (lines.delete(change.key)) undone.add(change.key);
  }
  const others = open ? messages.filter((message) => message !== open) : messages;
  const left = notificationsLeft(messages, quietUntil ?? now) - waiting.filter((message) => message !== open).length;
  return {
    messages: lines.size === 0 ? others : [...others, messageOf(front, [...lines.values()], now)],
    notices: changes.flatMap(({ key, message }): SentNotice[] => {
      if (message === null) return [];
      const line = { wallet: 'google', key, message, notifiesAt: null } as const;
      if (undone.has(key)) return [{ ...line, shown: 'nowhere', reason: 'undone' }];
      if (left <= 0) return [{ ...line, shown: 'pass', reason: 'daily_limit' }];
      if (!quietUntil) return [{ ...line, shown: 'notification', reason: null }];
      return [{ ...line, shown: 'notification', reason: 'quiet_hours', notifiesAt: quietUntil.toISOString() }];
    }),
  };
}

/**
 * Returns the waiting message to which to add the next change: the newest message that Google cannot have yet. Google
 * gets messages in order, so it can have only the first. If too many messages wait, returns the last one in any case.
 */
function openMessage(
  { messages, isBeingWritten }: LockedMessages,
  waiting: readonly StoredMessage[],
): StoredMessage | undefined {
  const ours = waiting.filter(({ lines }) => lines !== undefined);
  const free = isBeingWritten ? undefined : ours.findLast(({ unclear }) => unclear !== true);
  if (free || ours.length < 2) return free;
  const isFull = ours.length >= MOST_WAITING || Buffer.byteLength(JSON.stringify(messages)) >= MOST_MESSAGE_BYTES;
  return isFull ? ours.at(-1) : undefined;
}

/** Returns true for a detail of an event, because Google itself announces changes of these details. */
export function isAnnouncedByGoogle({ type }: { readonly type: string }, { key }: Pick<ChangeNotice, 'key'>): boolean {
  return type === 'event' && key.startsWith('_');
}

/**
 * Returns a message with the texts of its personal lines. The service never stores these texts. @param current the
 * current lines of the pass
 */
export function withPersonalTexts(
  message: StoredMessage,
  front: Omit<ChangedTexts, 'changes'>,
  current: readonly ChangeNotice[],
): StoredMessage {
  const lines = (message.lines ?? []).flatMap((line): ChangeLine[] => {
    if (!line.isPersonal) return [line];
    const found = current.find(({ key }) => key === line.key);
    return found
      ? [{ ...line, text: found.message, ...(found.translations && { translations: found.translations }) }]
      : [];
  });
  const { localizedHeader: _header, localizedBody: _body, ...rest } = message;
  return { ...rest, ...textsOfLines(front, lines) };
}

/** Returns the keys of the personal lines of messages. */
export function personalKeys(messages: readonly StoredMessage[]): ReadonlySet<string> {
  const lines = messages.flatMap((message) => message.lines ?? []);
  return new Set(lines.flatMap(({ key, isPersonal }) => (isPersonal ? [key] : [])));
}

/** Returns the line that announces a change; null for a silent change, and for a value that holders already know. */
function lineOf(change: FrontChange, earlier: ChangeLine | undefined): ChangeLine | null {
  const { key, before, after, message, translations, isPersonal } = change;
  if (message === null || after === null) return null;
  if (isPersonal) return { key, text: '', isPersonal };
  const from = earlier?.from ?? hashOf(before ?? '');
  return earlier && from === hashOf(after) ? null : { key, from, text: message, ...(translations && { translations }) };
}

function messageOf(front: ChangedTexts, lines: readonly ChangeLine[], now: Date): StoredMessage {
  const stored = lines.filter(({ isPersonal }) => !isPersonal);
  const until = new Date(now.getTime() + validMs).toISOString();
  return { id: `change-${randomId()}`, ...textsOfLines(front, stored), until, lines };
}

/** Returns the texts of a message: the title of the template, and the lines. */
function textsOfLines(
  { title, titles = {}, language }: Omit<ChangedTexts, 'changes'>,
  lines: readonly ChangeLine[],
): Pick<StoredMessage, 'header' | 'body' | 'localizedHeader' | 'localizedBody'> {
  // Google rejects blank texts.
  const header = title.trim() === '' ? '-' : title;
  const own = { header, body: lines.map(({ text }) => text).join('\n') || header };
  const languages = new Set([titles, ...lines.map(({ translations = {} }) => translations)].flatMap(Object.keys));
  const translations = [...languages].sort().map((each) => {
    const body = lines.map(({ text, translations }) => translations?.[each] ?? text).join('\n');
    return [each, { header: titles[each] ?? header, body: body || own.body }] as const;
  });
  return { ...own, ...localisedTexts(own, language, Object.fromEntries(translations)) };
}

function hashOf(value: string): string {
  return createHash('sha256').update(value).digest('base64').slice(0, 22);
}
