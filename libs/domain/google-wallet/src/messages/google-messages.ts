import type { GoogleMessage } from '@passwright/core';
import type { TimelyMessage } from '@passwright/passes';
import { countsAsNotification } from './notification-limit.js';

/** A line of a message about changed fields. */
export interface ChangeLine {
  /** The key of the field. */
  readonly key: string;
  /** The hash of the value that holders know; absent for a personal value. */
  readonly from?: string;
  /** Empty for a personal value. Each write then reads the text from the pass, so that it is not stored unencrypted. */
  readonly text: string;
  readonly isPersonal?: boolean;
  /** The text in other languages, by BCP 47 tag. */
  readonly translations?: Readonly<Record<string, string>>;
}

/**
 * A message of an object. It stays stored until it is sent, then as long as the pass shows it or Google's limit on
 * notifications counts it.
 */
export interface StoredMessage extends GoogleMessage, Omit<TimelyMessage, 'language' | 'translations'> {
  /** The changes that the message announces; absent if it does not announce changes. */
  readonly lines?: readonly ChangeLine[];
  /** True for a waiting message that Google may already have. */
  readonly unclear?: boolean;
  /** The ISO 8601 time when Google stored the message; absent before. */
  readonly addedAt?: string;
  /** True if Google notified the holders. */
  readonly notified?: boolean;
}

/** Changes of stored messages by id: the properties to set, or null to remove the message. */
export type MessageChanges = Readonly<
  Record<string, Partial<Pick<StoredMessage, 'unclear' | 'addedAt' | 'notified'>> | null>
>;

/** Size limit in bytes for all messages of an object. An object over the limit accepts no more messages. */
export const MOST_MESSAGE_BYTES = 100_000;
/** One less than the ten messages that Google allows, to leave room for another. */
const shownAtMost = 9;

const isWaiting = ({ addedAt }: StoredMessage) => addedAt === undefined;
export const hasEnded = ({ until }: StoredMessage, now: Date) => new Date(until) <= now;

/** The plan for the messages in one write of an object. */
export interface MessagePlan {
  /** The message to add; null if none is waiting. */
  readonly next: StoredMessage | null;
  /** The messages that stay on the object. */
  readonly shown: readonly StoredMessage[];
  /** The ids of messages that are no longer needed once Google has stored the object. */
  readonly removed: readonly string[];
  /** True if further messages can be sent now. */
  readonly hasMore: boolean;
  /** True if messages are waiting until quiet hours end. */
  readonly isHeld: boolean;
  /**
   * True if the object must first be read from Google, because Google may have a message that must no longer be sent.
   */
  readonly mustLook: boolean;
}

/** The time of a write, and the conditions for sending messages. */
export interface WriteTime {
  readonly now: Date;
  /** True in quiet hours: only urgent messages are sent. */
  readonly isQuiet: boolean;
  /** True if an earlier write with an unknown result may have sent a waiting message. */
  readonly mayBeSent: boolean;
}

/**
 * Plans which messages the next write of an object sends, keeps and removes. An inactive pass gets no messages about
 * changes, and a deleted pass gets no messages.
 */
export function planMessages(
  messages: readonly StoredMessage[],
  state: 'active' | 'inactive' | 'deleted',
  { now, isQuiet, mayBeSent }: WriteTime,
): MessagePlan {
  const isUnclear = (message: StoredMessage) => isWaiting(message) && (mayBeSent || message.unclear === true);
  const allowed = messages.filter((message) => {
    if (isWaiting(message) && !isUnclear(message) && isReplaced(message, messages)) return false;
    return state === 'active' || (state === 'inactive' && !(message.lines && isWaiting(message)));
  });
  // Do not send a replaced message that Google may have, because it could arrive after the message that replaces it.
  const waiting = waitingMessages(allowed, now).filter((message) => !isReplaced(message, messages));
  const sendable = isQuiet ? waiting.filter(({ urgent }) => urgent === true) : waiting;
  const next = sendable[0] ?? null;
  const shown = shownMessages(allowed, now, next);
  const kept = new Set(allowed);
  const removed = messages.filter((message) => {
    return !kept.has(message) || (!isUnclear(message) && isUseless(message, shown, now));
  });
  return {
    next,
    shown,
    removed: removed.map(({ id }) => id),
    hasMore: sendable.length > 1,
    isHeld: waiting.length > sendable.length,
    mustLook: allowed.some((message) => isUnclear(message) && isOver(message, messages, now)),
  };
}

/** Returns the messages to be sent, in their order. */
export function waitingMessages(messages: readonly StoredMessage[], now: Date): StoredMessage[] {
  return messages.filter((message) => isWaiting(message) && !hasEnded(message, now));
}

/** Returns the id and the texts of a message, in all its languages. */
export function textsOf({ id, header, body, localizedHeader, localizedBody }: StoredMessage): GoogleMessage {
  return {
    ...{ id, header, body },
    ...(localizedHeader && { localizedHeader }),
    ...(localizedBody && { localizedBody }),
  };
}

/** Returns messages in the form in which an object contains them. They do not notify holders again. */
export function bodyMessages(shown: readonly StoredMessage[]): object[] {
  return shown.map((message) => ({ ...textsOf(message), messageType: 'TEXT' }));
}

/**
 * Returns the messages that stay on the pass: the last nine that have not ended. Of messages about changes, and of
 * messages with the same topic, only the last stays.
 * @param next the message that is sent next; it replaces earlier messages in the same way
 */
function shownMessages(messages: readonly StoredMessage[], now: Date, next: StoredMessage | null): StoredMessage[] {
  const valid = messages.filter((message) => !isWaiting(message) && !hasEnded(message, now));
  const lastChange = next?.lines ? undefined : valid.findLast(({ lines }) => lines !== undefined);
  const onPass = messages.filter((message) => message === next || valid.includes(message));
  return valid
    .filter((message) => (!message.lines || message === lastChange) && !isReplaced(message, onPass))
    .slice(-shownAtMost);
}

/** Returns true if a message must no longer be sent, because it has ended or a later message replaces it. */
export function isOver(message: StoredMessage, messages: readonly StoredMessage[], now: Date): boolean {
  return hasEnded(message, now) || isReplaced(message, messages);
}

/** Returns true for a message with a topic if a later message has the same topic. */
export function isReplaced(message: StoredMessage, messages: readonly StoredMessage[]): boolean {
  const { topic } = message;
  return typeof topic === 'string' && messages.findLast((other) => other.topic === topic)?.id !== message.id;
}

/**
 * Returns true for a message that need not be stored any longer: a waiting message whose time is over, or a sent
 * message that the pass no longer shows and that is not a notification of the last 24 hours.
 */
function isUseless(message: StoredMessage, shown: readonly StoredMessage[], now: Date): boolean {
  if (isWaiting(message)) return hasEnded(message, now);
  return !shown.includes(message) && !countsAsNotification(message, now);
}
