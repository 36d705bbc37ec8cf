import { Forbidden, scopes, type Principal, type Scope } from '@passwright/core';

const memberScopes: readonly Scope[] = scopes.filter((scope) => scope !== 'account:write');

/** Returns the scopes of a user in an account. */
export function scopesOf({ isAdmin }: { readonly isAdmin: boolean }): readonly Scope[] {
  return isAdmin ? scopes : memberScopes;
}

/**
 * Rejects a caller who would grant scopes that they lack, through a key, a new secret or a user's role. @throws
 * Forbidden
 */
export function requireScopes(caller: Principal, wanted: readonly Scope[]): void {
  const lacking = wanted.filter((scope) => !caller.scopes.includes(scope));
  if (lacking.length > 0) {
    throw new Forbidden(
      `You lack ${lacking.join(', ')}, so you cannot hand it out; use an admin or a key that has it.`,
    );
  }
}
