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
  const unclear = unclearMessages(claimed);
  const changes: Record<string, MessageChanges[string]> = {};
  const addedAt = now.toISOString();
  const over = unclear.filter((one) => isOver(one, claimed.messages ?? [], now));
  if (result?.found) for (const one of unclear) changes[one.id] = over.includes(one) ? null : { unclear: false };
  for (const { id, notified } of result?.found ?? []) changes[id] = { addedAt, notified };
  if (result?.outcome === 'stored') {
    if (next)
      changes[next.id] = result.message === 'rejected' ? null : { addedAt, notified: result.message === 'notified' };
  } else if (!result?.found) {
    const lost = result?.message === 'unclear' && next ? [...unclear, next] : unclear;
    for (const { id } of lost) changes[id] = { unclear: true };
  }
  if (!result || result.outcome === 'stored') for (const id of removed) changes[id] = null;
  return Object.keys(changes).length > 0 ? changes : null;
}

/** Returns the waiting messages that Google may already have. */
function unclearMessages({ messages, openClaims }: ClaimedMessages): StoredMessage[] {
  return (messages ?? []).filter(
    ({ addedAt, unclear }) => addedAt === undefined && (unclear === true || openClaims > 1),
  );
}
