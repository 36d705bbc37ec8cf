import type { GoogleResult, MessageToAdd } from '@passwright/core';
import { type MessageChanges, type MessagePlan, notificationsLeft, type StoredMessage } from './google-messages.js';

/** The messages of a claimed object. */
interface ClaimedMessages {
  readonly messages: readonly StoredMessage[] | null;
  /** More than one: a process died with its claim, perhaps after it had sent the next message. */
  readonly openClaims: number;
}

/** Returns the message that a write adds; null if none is to be sent. */
export function messageToAdd(
  { messages, openClaims }: ClaimedMessages,
  { next }: MessagePlan,
  now: Date,
): MessageToAdd | null {
  if (!next) return null;
  const { id, header, body, unclear = false } = next;
  const messageType = notificationsLeft(messages ?? [], now) > 0 ? 'TEXT_AND_NOTIFY' : 'TEXT';
  return { id, header, body, messageType, mayExist: unclear || openClaims > 1 };
}

/** Returns the changes of the messages after a write; null if there are none. */
export function changesAfter(
  { openClaims }: ClaimedMessages,
  { next, removed }: MessagePlan,
  result: GoogleResult | null,
  now: Date,
): MessageChanges | null {
  if (result && result.outcome !== 'stored') {
    if (!next || (result.message !== 'unclear' && openClaims <= 1)) return null;
    return { [next.id]: { unclear: true } };
  }
  const added = { addedAt: now.toISOString(), notified: result?.message === 'notified' };
  const sent = next && result ? [[next.id, result.message === 'rejected' ? null : added] as const] : [];
  const changes = [...removed.map((id) => [id, null] as const), ...sent];
  return changes.length > 0 ? Object.fromEntries(changes) : null;
}
