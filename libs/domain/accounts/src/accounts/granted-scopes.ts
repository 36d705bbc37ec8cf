import { Forbidden, scopes, type Principal, type Scope } from '@passwright/core';

const memberScopes: readonly Scope[] = scopes.filter((scope) => scope !== 'account:write');

/** What a user may do in an account. */
export function scopesOf({ isAdmin }: { readonly isAdmin: boolean }): readonly Scope[] {
  return isAdmin ? scopes : memberScopes;
}

/** Nobody hands out what they do not have themself: by keys, by their secrets, nor by people. @throws Forbidden */
export function requireScopes(caller: Principal, wanted: readonly Scope[]): void {
  const lacking = wanted.filter((scope) => !caller.scopes.includes(scope));
  if (lacking.length > 0) {
    throw new Forbidden(
      `You lack ${lacking.join(', ')}, so you cannot hand it out; use an admin or a key that has it.`,
    );
  }
}
