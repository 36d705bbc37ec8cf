import type { GoogleResource, GoogleResult } from '@passwright/core';
import {
  bodyMessages,
  isOver,
  type MessageChanges,
  type MessagePlan,
  type StoredMessage,
  textsOf,
} from './google-messages.js';
import { notificationsLeft } from './notification-limit.js';

type Change = MessageChanges[string];

/** The messages of a claimed object. */
export interface ClaimedMessages {
  readonly messages: readonly StoredMessage[] | null;
  /**
   * The number of claims since the last recorded result. More than one means that a process has crashed, perhaps after
   * it had sent a message.
   */
  readonly openClaims: number;
}

/** Returns the messages of a write: the message to add, and the messages that the body of the object contains. */
export function messageWrite(
  claimed: ClaimedMessages,
  { next, shown }: MessagePlan,
  now: Date,
): Pick<GoogleResource, 'message' | 'mayHave'> & { readonly inBody: object[] } {
  const unclear = unclearMessages(claimed).map(({ id }) => id);
  const mayHave = unclear.filter((id) => id !== next?.id);
  const inBody = bodyMessages(shown);
  if (!next) return { inBody, ...(mayHave.length > 0 && { mayHave }) };
  // Count each message in `mayHave` as a notification, because Google may already have notified holders of it.
  const left = notificationsLeft(claimed.messages ?? [], now) - mayHave.length;
  const messageType = left > 0 ? 'TEXT_AND_NOTIFY' : 'TEXT';
  const message = { ...textsOf(next), messageType, mayExist: unclear.includes(next.id) } as const;
  return { inBody, message, ...(mayHave.length > 0 && { mayHave }) };
}

/**
 * Returns how a write changes the stored messages; null if it does not change them. @param result null if nothing was
 * sent
 */
export function changesAfter(
  claimed: ClaimedMessages,
  { next, removed }: MessagePlan,
  result: GoogleResult | null,
  now: Date,
): MessageChanges | null {
  const isStored = result?.outcome === 'stored';
  const changes = changesOfUnclear(claimed, next, result, now);
  if (next && isStored) {
    changes[next.id] =
      result.message === 'rejected' ? null : { addedAt: now.toISOString(), notified: result.message === 'notified' };
  }
  if (isStored || !result) for (const id of removed) changes[id] = null;
  return Object.keys(changes).length > 0 ? changes : null;
}

/** Returns the changes of the messages that Google may already have. */
function changesOfUnclear(
  claimed: ClaimedMessages,
  next: StoredMessage | null,
  result: GoogleResult | null,
  now: Date,
): Record<string, Change> {
  const unclear = unclearMessages(claimed);
  if (result?.found) {
    const { messages } = claimed;
    const missing = unclear.map((one): [string, Change] => [
      one.id,
      isOver(one, messages ?? [], now) ? null : { unclear: false },
    ]);
    const found = result.found.map(({ id, notified }): [string, Change] => [
      id,
      { addedAt: now.toISOString(), notified },
    ]);
    return Object.fromEntries([...missing, ...found]);
  }
  if (result?.outcome === 'stored') return {};
  const lost = result?.message === 'unclear' && next ? [...unclear, next] : unclear;
  return Object.fromEntries(lost.map(({ id }) => [id, { unclear: true }]));
}

/** Returns the waiting messages that Google may already have. */
function unclearMessages({ messages, openClaims }: ClaimedMessages): StoredMessage[] {
  return (messages ?? []).filter(
    ({ addedAt, unclear }) => addedAt === undefined && (unclear === true || openClaims > 1),
  );
}
