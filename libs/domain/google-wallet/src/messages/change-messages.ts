import { createHash } from 'node:crypto';
import { randomId } from '@passwright/core';
import type { ChangedFront, SentNotice } from '@passwright/passes';
import type { FrontChange } from '@passwright/wallet-renderers';
import { type ChangeLine, notificationsLeft, type StoredMessage, waitingMessages } from './google-messages.js';
import { localisedTexts } from './localised-message.js';

/** The time limit for sending a message about changes, and for showing it on the pass. */
const validMs = 7 * 24 * 60 * 60 * 1000;

/** The messages of an object that a transaction has locked. */
export interface LockedMessages {
  readonly messages: readonly StoredMessage[];
  /** True while a worker writes the object, or if its result is unknown. */
  readonly isBeingWritten: boolean;
}

/** Changed fields and the title of their template, with the language of both. */
export type ChangedTexts = Pick<ChangedFront, 'title' | 'titles' | 'changes'> & { readonly language: string };

/** The messages after a change, and where holders see its lines. Without a line, the list of messages is the same. */
export interface ChangedMessages {
  readonly messages: readonly StoredMessage[];
  readonly notices: readonly SentNotice[];
}

/**
 * Queues a message about changes of the front. A message that Google cannot have yet becomes part of it: holders get one
 * message with the newest text, and none for a value that returns to the one that they know.
 * @param quietUntil the end of the quiet hours, in which no holder is notified; null outside of them
 */
export function withChanges(
  { messages, isBeingWritten }: LockedMessages,
  front: ChangedTexts,
  now: Date,
  quietUntil: Date | null = null,
): ChangedMessages {
  const { changes } = front;
  const waiting = waitingMessages(messages, now);
  const open = isBeingWritten ? undefined : waiting.findLast(({ lines, unclear }) => lines && unclear !== true);
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
      const line = { key, message, notifiesAt: null };
      if (undone.has(key)) return [{ ...line, shown: 'nowhere', reason: 'undone' }];
      if (left <= 0) return [{ ...line, shown: 'pass', reason: 'daily_limit' }];
      if (!quietUntil) return [{ ...line, shown: 'notification', reason: null }];
      return [{ key, message, shown: 'notification', reason: 'quiet_hours', notifiesAt: quietUntil.toISOString() }];
    }),
  };
}

/** @returns null for a silent change, and if holders know the value */
function lineOf(change: FrontChange, earlier: ChangeLine | undefined): ChangeLine | null {
  const { key, before, after, message, translations } = change;
  if (message === null || after === null) return null;
  const from = earlier?.from ?? hashOf(before ?? '');
  return earlier && from === hashOf(after) ? null : { key, from, text: message, ...(translations && { translations }) };
}

function messageOf(front: ChangedTexts, lines: readonly ChangeLine[], now: Date): StoredMessage {
  const { title, titles = {}, language } = front;
  // Google rejects blank texts.
  const own = { header: title.trim() === '' ? '-' : title, body: lines.map(({ text }) => text).join('\n') };
  const languages = new Set([titles, ...lines.map(({ translations = {} }) => translations)].flatMap(Object.keys));
  const translations = [...languages].sort().map((each) => {
    const body = lines.map(({ text, translations }) => translations?.[each] ?? text).join('\n');
    return [each, { header: titles[each] ?? own.header, body }] as const;
  });
  return {
    id: `change-${randomId()}`,
    ...own,
    ...localisedTexts(own, language, Object.fromEntries(translations)),
    until: new Date(now.getTime() + validMs).toISOString(),
    lines,
  };
}

function hashOf(value: string): string {
  return createHash('sha256').update(value).digest('base64').slice(0, 22);
}
