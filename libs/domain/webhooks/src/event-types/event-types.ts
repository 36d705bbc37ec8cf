import type { Scope } from '@passwright/core';

/**
 * The event types and when they occur. The database records each event in the transaction that causes it (migration
 * `webhook-events`). Only `webhook.test` is not stored, because it is sent on demand.
 */
export const eventTypes = {
  'pass.created': 'A pass was issued.',
  'pass.changed':
    'The content that the holder of a pass sees has changed. A change of the metadata alone sends no event.',
  'pass.voided': 'A pass was voided. Archiving its template sends `template.archived` instead.',
  'pass.unvoided': 'A pass was un-voided.',
  'pass.redeemed': 'A pass was redeemed.',
  'pass.expired': 'A pass that was neither void nor redeemed has expired.',
  'pass.deleted': 'A pass was deleted.',
  'pass.installed': 'A pass was added to a wallet. Sent for each device, or for each save at Google.',
  'pass.removed': 'A pass was removed from a wallet. Sent for each device, or for each removal at Google.',
  'template.changed': 'A template has changed, and so has the content that the holders of its passes see.',
  'template.archived': 'A template was archived, which voids all its passes.',
  'template.unarchived': 'A template was un-archived. Passes that were voided individually stay void.',
  'member.created': 'A member was created.',
  'member.changed': 'The e-mail, name, data or end of a membership has changed, but not its status.',
  'member.activated': 'A membership began, or continues after a suspension.',
  'member.suspended': 'A membership was suspended.',
  'member.expired': 'A membership has expired.',
  'member.renewed': 'An expired membership continues, or an active one was extended.',
  'member.cancelled': 'A membership was cancelled.',
  'member.deleted': 'A member was deleted.',
  'message.created': 'A message to holders was planned.',
  'message.started': 'The service has begun to send a message: the first passes have it.',
  'message.sent': 'A message was sent to every pass of its audience.',
  'message.paused': 'A message was paused.',
  'message.resumed': 'A paused message was resumed.',
  'message.cancelled': 'A message was cancelled.',
  'message.superseded': 'A later message with the same topic replaced a message before it was sent.',
  'certificate.expiring': "The account's Apple Wallet certificate expires in 60, 30 or 7 days.",
  'certificate.expired': "The account's Apple Wallet certificate has expired: no pass can be signed with it.",
  'webhook.test': 'A user requested a test of this webhook.',
} as const satisfies Record<string, string>;

export type EventType = keyof typeof eventTypes;

/** The types that a webhook can choose. A webhook can get test events whatever types it has chosen. */
export const webhookEventTypes = (Object.keys(eventTypes) as EventType[]).filter((type) => type !== 'webhook.test');

/**
 * The read scopes by kind of event. Events need the same scopes as the passes and members that they contain, because
 * the id of a pass opens its public page.
 */
const readScopes: Readonly<Record<string, Scope>> = {
  pass: 'passes:read',
  template: 'templates:read',
  member: 'members:read',
  message: 'passes:read',
};

/**
 * Returns the scopes for reading these types, in addition to the scopes for webhooks. @param types null for all types
 */
export function scopesToRead(types: readonly string[] | null): Scope[] {
  const scopes = (types ?? webhookEventTypes).flatMap((type) => readScopes[type.split('.', 1).join()] ?? []);
  return [...new Set(scopes)];
}
