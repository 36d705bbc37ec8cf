import type { FoundMessage, GoogleMessageOutcome, MessageToAdd } from '@passwright/core';
import type { ApiCall, Reply, WalletApi } from './wallet-api.js';

/** The messages that earlier writes have added, or in `failure` the response to a failed attempt to read them. */
export interface EarlierMessages {
  readonly found: readonly FoundMessage[];
  readonly failure: Reply | null;
}

/** Returns the given messages that an object already has, because Google would add them again. Never rejects. */
export async function earlierMessages(
  api: WalletApi,
  path: string,
  ids: readonly string[],
  call: ApiCall,
): Promise<EarlierMessages> {
  const reply = await api.send({ method: 'GET', path }, call);
  if (reply.meaning !== 'done') return { found: [], failure: reply.meaning === 'missing' ? null : reply };
  const messages = Array.isArray(reply.body.messages) ? (reply.body.messages as unknown[]) : [];
  const found = ids.flatMap((id) => {
    const stored = messages.find((message) => (message as { id?: unknown } | null)?.id === id);
    if (!stored) return [];
    const { messageType } = stored as Record<string, unknown>;
    // Google's responses also spell TEXT_AND_NOTIFY as `textAndNotify`.
    return [{ id, notified: /^text_?and_?notify$/i.test(String(messageType)) }];
  });
  return { found, failure: null };
}

/**
 * Adds a message to an object. Does not repeat the request after a temporary failure, because Google may have added the
 * message nevertheless. If the object has used up its notifications of the day, adds the message without a
 * notification. Never rejects.
 */
export async function addMessage(
  api: WalletApi,
  path: string,
  { messageType, mayExist: _, ...texts }: MessageToAdd,
  call: ApiCall,
): Promise<{ readonly outcome: GoogleMessageOutcome; readonly reply: Reply }> {
  const send = (type: MessageToAdd['messageType']) => {
    const message = { ...texts, messageType: type };
    return api.send({ method: 'POST', path: `${path}/addMessage`, body: { message }, once: true }, call);
  };
  const first = await send(messageType);
  const isSpent = messageType === 'TEXT_AND_NOTIFY' && first.status === 403 && first.meaning === 'later';
  const reply = isSpent ? await send('TEXT') : first;
  if (reply.meaning === 'rejected') return { outcome: 'rejected', reply };
  if (reply.meaning !== 'done') return { outcome: 'unclear', reply };
  return { outcome: messageType === 'TEXT_AND_NOTIFY' && !isSpent ? 'notified' : 'shown', reply };
}
