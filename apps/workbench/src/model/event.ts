import { addressOf } from './screen-address.js';

/** An event of a webhook. */
export interface StoredEvent {
  readonly id: string;
  readonly type: string;
  readonly timestamp: string;
  readonly data: unknown;
}

/** The resource that an event is about. */
export interface Subject {
  readonly name: string;
  /** The address of its screen; null if there is none. */
  readonly address: string | null;
}

/** Returns the resource that an event is about, the most specific one first; null if its data contains none. */
export function subjectOf(data: unknown): Subject | null {
  const { messageId, memberId, passId, templateId, webhookId, passTypeIdentifier } = data as Record<string, unknown>;
  if (typeof messageId === 'string') return { name: messageId, address: addressOf('messages', messageId) };
  if (typeof templateId === 'string' && typeof passId === 'string') {
    const name = typeof memberId === 'number' ? `member ${memberId}` : `${templateId}/${passId}`;
    return { name, address: addressOf('passes', templateId, passId) };
  }
  if (typeof templateId === 'string') return { name: templateId, address: addressOf('templates', templateId) };
  if (typeof webhookId === 'string') return { name: webhookId, address: addressOf('webhooks', webhookId) };
  return typeof passTypeIdentifier === 'string'
    ? { name: passTypeIdentifier, address: addressOf('certificates') }
    : null;
}
