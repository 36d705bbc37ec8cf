import type { WebhookEventType } from '@passwright/client';

/** The types of events. The compiler reports a missing type. */
const types: Record<WebhookEventType, true> = {
  'pass.created': true,
  'pass.changed': true,
  'pass.voided': true,
  'pass.unvoided': true,
  'pass.redeemed': true,
  'pass.expired': true,
  'pass.deleted': true,
  'pass.installed': true,
  'pass.removed': true,
  'template.changed': true,
  'template.archived': true,
  'template.unarchived': true,
  'member.created': true,
  'member.changed': true,
  'member.activated': true,
  'member.suspended': true,
  'member.expired': true,
  'member.renewed': true,
  'member.cancelled': true,
  'member.deleted': true,
  'message.created': true,
  'message.started': true,
  'message.sent': true,
  'message.paused': true,
  'message.resumed': true,
  'message.cancelled': true,
  'message.superseded': true,
  'certificate.expiring': true,
  'certificate.expired': true,
};

/**
 * Returns a sentence for each part of the option `--type` that selects no known event, because a mistyped type would
 * wait forever. A newer service may have more types.
 */
export function unknownTypes(option: string | undefined): string[] {
  const known = Object.keys(types);
  const selects = (part: string) =>
    known.some((type) => (part.endsWith('*') ? type.startsWith(part.slice(0, -1)) : type === part));
  const wanted = (option ?? '').split(',').map((part) => part.trim());
  return wanted
    .filter((part) => part !== '' && !selects(part))
    .map((part) => `No known event has the type "${part}". Known: ${nearestTo(part, known).join(', ')}.`);
}

/** Returns the types about the same thing, such as `pass.created`; if there are none, a pattern for each thing. */
function nearestTo(part: string, known: readonly string[]): string[] {
  const [thing = ''] = part.split('.');
  const near = known.filter((type) => type.startsWith(`${thing}.`));
  return near.length > 0 ? near : [...new Set(known.map((type) => type.replace(/\..*/, '.*')))];
}
