import type { GoogleMessageEnd } from './google-message.listener.js';
import { hasEnded, isReplaced, type MessageChanges, type StoredMessage } from './google-messages.js';

/**
 * Returns the outcomes of the messages that a write has sent or removed. @param sentId the id of the message that the
 * write has sent
 */
export function endingsOf(
  messages: readonly StoredMessage[],
  changes: MessageChanges | null,
  sentId: string | null,
  now: Date,
): { readonly messageId: string; readonly outcome: GoogleMessageEnd }[] {
  return messages.flatMap((message) => {
    const change = changes?.[message.id];
    if (change === undefined || (change && !change.addedAt)) return [];
    const outcome = outcomeOf({ ...message, ...change }, messages, message.id === sentId, now);
    return [{ messageId: message.id, outcome }];
  });
}

function outcomeOf(
  message: StoredMessage,
  messages: readonly StoredMessage[],
  wasSent: boolean,
  now: Date,
): GoogleMessageEnd {
  if (message.addedAt !== undefined) return message.notified ? 'notified' : 'daily_limit';
  if (wasSent) return 'rejected';
  if (hasEnded(message, now)) return 'expired';
  return isReplaced(message, messages) ? 'superseded' : 'not_at_google';
}
