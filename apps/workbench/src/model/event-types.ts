import type { WebhookEventType } from '@passwright/client';

/** The types of events to choose for a webhook. */
export const eventTypes: readonly WebhookEventType[] = [
  ...(['pass.created', 'pass.changed', 'pass.voided', 'pass.unvoided', 'pass.redeemed', 'pass.expired'] as const),
  ...(['pass.deleted', 'pass.installed', 'pass.removed'] as const),
  ...(['template.changed', 'template.archived', 'template.unarchived'] as const),
  ...(['member.created', 'member.changed', 'member.activated', 'member.suspended', 'member.expired'] as const),
  ...(['member.renewed', 'member.cancelled', 'member.deleted'] as const),
  ...(['message.created', 'message.started', 'message.sent', 'message.paused'] as const),
  ...(['message.resumed', 'message.cancelled', 'message.superseded'] as const),
  ...(['certificate.expiring', 'certificate.expired'] as const),
];
