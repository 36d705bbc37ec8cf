import { Forbidden, type Principal } from '@passwright/core';
import type { NewApiKeyRequest } from './api-key.dto.js';
import type { ApiKey } from './api-key.entity.js';

/** The properties of an API key that limit it, besides its scopes. */
export type KeyLimits = Pick<ApiKey, 'tools' | 'supervised' | 'expiresAt'>;

/** Returns the requested limits of a new key. A limit that the request omits is that of the caller. */
export function requestedLimits(caller: Principal, { tools, supervised, expiresAt }: NewApiKeyRequest): KeyLimits {
  const own = limitsOf(caller);
  return {
    tools: tools ?? own.tools,
    supervised: supervised ?? own.supervised,
    expiresAt: expiresAt ? new Date(expiresAt) : own.expiresAt,
  };
}

/**
 * Rejects a key that outlives the API key of the caller or can do more at `/mcp`, because its secret would give the
 * caller more than the caller has. Users have no such limits. @throws Forbidden
 */
export function requireLimits(caller: Principal, wanted: KeyLimits): void {
  const own = limitsOf(caller);
  if (own.expiresAt && (wanted.expiresAt === null || wanted.expiresAt > own.expiresAt)) {
    throw new Forbidden(
      `Your API key expires at ${own.expiresAt.toISOString()}, so you cannot hand out a key that lasts longer; ` +
        'use an admin or a key that does.',
    );
  }
  const known = own.tools;
  const more = known && (wanted.tools?.filter((tool) => !known.includes(tool)) ?? ['all tools']);
  if (more && more.length > 0) {
    throw new Forbidden(
      `Your API key is limited to ${known.join(', ')}, so you cannot hand out ${more.join(', ')}; ` +
        'use an admin or a key without this limit.',
    );
  }
  if (own.supervised && !wanted.supervised) {
    throw new Forbidden('Your API key is supervised, so you cannot hand out a key that is not; use an admin.');
  }
}

function limitsOf({ tools, supervised = false, expiresAt }: Principal): KeyLimits {
  return { tools: tools ? [...tools] : null, supervised, expiresAt: expiresAt ?? null };
}
