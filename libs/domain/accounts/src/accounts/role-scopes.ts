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
