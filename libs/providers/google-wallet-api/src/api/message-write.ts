import type { GoogleMessageOutcome, MessageToAdd } from '@passwright/core';
import type { ApiCall, Reply, WalletApi } from './wallet-api.js';

/** A message that an earlier write has added, or the response that leaves this unclear. */
export interface EarlierMessage {
  readonly found: { readonly body: object; readonly notified: boolean } | null;
  readonly failure: Reply | null;
}

/** Looks for a message on an object. Google does not compare the ids of messages. Never rejects. */
export async function earlierMessage(api: WalletApi, path: string, id: string, call: ApiCall): Promise<EarlierMessage> {
  const reply = await api.send({ method: 'GET', path }, call);
  if (reply.meaning !== 'done') return { found: null, failure: reply.meaning === 'missing' ? null : reply };
  const messages = Array.isArray(reply.body.messages) ? (reply.body.messages as unknown[]) : [];
  const stored = messages.find((message) => (message as { id?: unknown } | null)?.id === id) as
    Record<string, unknown> | undefined;
  if (!stored) return { found: null, failure: null };
  const { kind: _, ...body } = stored;
  // Responses also spell it `textAndNotify`.
  const notified = /^text_?and_?notify$/i.test(String(body.messageType));
  return { found: { body: { ...body, messageType: 'TEXT' }, notified }, failure: null };
}

/**
 * Adds a message to an object, once, because a lost response leaves unclear whether Google has added it. Adds it without
 * a notification if the object has had its notifications of 24 hours. Never rejects.
 */
export async function addMessage(
  api: WalletApi,
  path: string,
  { id, header, body, messageType }: MessageToAdd,
  call: ApiCall,
): Promise<{ readonly outcome: GoogleMessageOutcome; readonly reply: Reply }> {
  const send = (type: MessageToAdd['messageType']) => {
    const message = { id, header, body, messageType: type };
    return api.send({ method: 'POST', path: `${path}/addMessage`, body: { message }, once: true }, call);
  };
  const first = await send(messageType);
  const isSpent = messageType === 'TEXT_AND_NOTIFY' && first.status === 403 && first.meaning === 'later';
  const reply = isSpent ? await send('TEXT') : first;
  if (reply.meaning === 'rejected') return { outcome: 'rejected', reply };
  if (reply.meaning !== 'done') return { outcome: 'unclear', reply };
  return { outcome: messageType === 'TEXT_AND_NOTIFY' && !isSpent ? 'notified' : 'shown', reply };
}
