import type { ExecutionContext } from '@nestjs/common';
import { ApiKeyRequired, Forbidden } from '../errors/wire-errors.js';
import { ACCESS, type Access } from '../http/access.decorators.js';
import type { Principal } from '../http/principal.js';

/** The access rule of a route that needs an authenticated caller. */
export type CallerAccess = Exclude<Access, { kind: 'public' }>;

/** Returns the access rule of a route. @throws Error if the route declares none, which is a programming error */
export function accessRuleOf(context: Pick<ExecutionContext, 'getClass' | 'getHandler'>): Access {
  const access = Reflect.getMetadata(ACCESS, context.getHandler()) as Access | undefined;
  if (!access) throw new Error(`${context.getClass().name}.${context.getHandler().name} declares no access rule`);
  return access;
}

/** Rejects a caller that the rule does not allow. @throws Forbidden. @throws ApiKeyRequired */
export function requireAccess({ kind, scopes }: Principal, access: CallerAccess): void {
  if (access.kind === 'caller') return;
  if (access.kind === 'user') {
    if (kind !== 'user') throw new Forbidden("This takes a user's access token, not an API key.");
    return;
  }
  if (access.apiKeyOnly && kind !== 'apiKey') {
    throw new ApiKeyRequired("This takes an API key, not a user's access token; make one: POST /v1/auth/keys.");
  }
  const lacking = access.scopes.filter((scope) => !scopes.includes(scope));
  if (lacking.length === 0) return;
  const named = `the scope${lacking.length > 1 ? 's' : ''} ${lacking.join(', ')}`;
  throw new Forbidden(
    kind === 'apiKey' ? `The API key lacks ${named}.` : `Only admins of the account may do this (it takes ${named}).`,
  );
}
