import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiBearerAuth } from '@nestjs/swagger';
import {
  ApiKeyRequired,
  Forbidden,
  Internal,
  NotReady,
  RateLimited,
  TokenExpired,
  Unauthorized,
} from '../errors/wire-errors.js';
import { ApiErrors } from './api-errors.js';
import type { Scope } from './principal.js';

/** Who may call a route. Every route declares one; a test walks the route table for it, and the guard refuses the rest. */
export type Access =
  | { readonly kind: 'public'; readonly unlimited?: boolean; readonly countsItself?: boolean }
  | { readonly kind: 'user' }
  | { readonly kind: 'caller' }
  | { readonly kind: 'scope'; readonly scopes: readonly Scope[]; readonly apiKeyOnly?: boolean };

export const ACCESS = 'passwright:access';

const declare = (access: Access): MethodDecorator => SetMetadata(ACCESS, access);

/**
 * Anyone may call the route.
 * @param options.unlimited as often as they like, without a look at the counters in the database: for health probes
 * @param options.countsItself the route limits its callers by something better than their address
 */
export function Public({ unlimited = false, countsItself = false } = {}): MethodDecorator {
  const errors = unlimited ? [Internal] : [RateLimited, Internal, NotReady];
  return applyDecorators(declare({ kind: 'public', unlimited, countsItself }), ApiErrors(...errors));
}

/** Takes a user's access token or an API key that holds all of the scopes. */
export function RequireScope(...scopes: readonly Scope[]): MethodDecorator {
  return applyDecorators(declare({ kind: 'scope', scopes }), ...authenticated());
}

/** An API key that holds the scope; a user's access token is refused, an admin's too. */
export function RequireApiKey(scope: Scope): MethodDecorator {
  return applyDecorators(
    declare({ kind: 'scope', scopes: [scope], apiKeyOnly: true }),
    ...authenticated(),
    ApiErrors(ApiKeyRequired),
  );
}

/** Any credential; what it may do is decided by what it is used for. */
export function RequireCaller(): MethodDecorator {
  return applyDecorators(declare({ kind: 'caller' }), ...authenticated());
}

/** A user's access token, not an API key. */
export function RequireUser(): MethodDecorator {
  return applyDecorators(declare({ kind: 'user' }), ...authenticated());
}

function authenticated(): MethodDecorator[] {
  return [
    ApiBearerAuth(),
    ApiErrors(Unauthorized, TokenExpired, Forbidden, RateLimited, Internal, NotReady),
  ] as MethodDecorator[];
}
