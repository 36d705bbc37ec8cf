import { Forbidden, type Principal } from '@passwright/core';
import { scopesToRead, webhookEventTypes } from './event-types.js';

/**
 * Requires the scopes to read these events or to send them to a webhook.
 * @param types null for all types.
 * @throws Forbidden
 */
export function requireEventScopes(
  { kind, scopes }: Pick<Principal, 'kind' | 'scopes'>,
  types: readonly string[] | null,
): void {
  const lacking = scopesToRead(types).filter((scope) => !scopes.includes(scope));
  const [first] = lacking;
  if (first === undefined) return;
  throw new Forbidden(
    `The ${kind === 'apiKey' ? 'API key' : 'user'} lacks the scope ${first}: events of these types take ${lacking.join(', ')}; ` +
      'use a key that has it, or choose other types for the webhook.',
  );
}

/** Returns the types of events that the caller may read; null for all types, including future types. */
export function readableTypes({ scopes }: Pick<Principal, 'scopes'>): string[] | null {
  const readable = webhookEventTypes.filter((type) => scopesToRead([type]).every((scope) => scopes.includes(scope)));
  return readable.length === webhookEventTypes.length ? null : readable;
}
