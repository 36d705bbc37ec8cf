import { Forbidden, scopes, type Principal, type Scope } from '@passwright/core';

const memberScopes: readonly Scope[] = scopes.filter((scope) => scope !== 'account:write');

/** Returns the scopes that a user has in an account. */
export function scopesOf({ isAdmin }: { readonly isAdmin: boolean }): readonly Scope[] {
  return isAdmin ? scopes : memberScopes;
}

/**
 * Rejects a caller who lacks one of the scopes that a new key, a new secret or a role would grant. @throws Forbidden
 */
export function requireScopes(caller: Principal, wanted: readonly Scope[]): void {
  const lacking = wanted.filter((scope) => !caller.scopes.includes(scope));
  if (lacking.length > 0) {
    throw new Forbidden(
      `You lack ${lacking.join(', ')}, so you cannot hand it out; use an admin or a key that has it.`,
    );
  }
}

/**
 * Rejects an API key with limits of its own that invites an admin or makes a user an admin, because an admin has none of
 * these limits. @throws Forbidden
 */
export function requireNoLimits({ tools, supervised, expiresAt }: Principal): void {
  const limit =
    (expiresAt && 'an expiry') ?? (tools && 'a list of tools') ?? (supervised ? 'the supervision of its agents' : null);
  if (limit === null) return;
  throw new Forbidden(
    `Your API key has ${limit}, so you cannot invite an admin or make a user an admin, who would not be limited so; ` +
      'use an admin or a key without this limit.',
  );
}
