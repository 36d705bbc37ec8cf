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

/**
 * The access rule of a route. Every route declares one: a test walks the route table, and the guard rejects requests to
 * a route without a rule.
 */
export type Access =
  | { readonly kind: 'public'; readonly unlimited?: boolean; readonly countsItself?: boolean }
  | { readonly kind: 'user' }
  | { readonly kind: 'caller'; readonly supervised?: boolean }
  | { readonly kind: 'scope'; readonly scopes: readonly Scope[]; readonly apiKeyOnly?: boolean };

export const ACCESS = 'passwright:access';

const declare = (access: Access): MethodDecorator => SetMetadata(ACCESS, access);

/**
 * Allows anyone to call the route.
 * @param options.unlimited skips the rate limit and its database counters, for health probes
 * @param options.countsItself true if the route limits its callers itself, by a better key than their address
 */
export function Public({ unlimited = false, countsItself = false } = {}): MethodDecorator {
  const errors = unlimited ? [Internal] : [RateLimited, Internal, NotReady];
  return applyDecorators(declare({ kind: 'public', unlimited, countsItself }), ApiErrors(...errors));
}

/** Allows a user's access token, or an API key with all of the scopes. */
export function RequireScope(...scopes: readonly Scope[]): MethodDecorator {
  return applyDecorators(declare({ kind: 'scope', scopes }), ...authenticated());
}

/** Allows an API key with the scope and rejects every user's access token, even an admin's. */
export function RequireApiKey(scope: Scope): MethodDecorator {
  return applyDecorators(
    declare({ kind: 'scope', scopes: [scope], apiKeyOnly: true }),
    ...authenticated(),
    ApiErrors(ApiKeyRequired),
  );
}

/**
 * Allows any credential. The handler decides what the credential may do.
 * @param options.supervised true if the route also admits supervised keys, and makes a person confirm their changes
 */
export function RequireCaller({ supervised = false } = {}): MethodDecorator {
  return applyDecorators(declare({ kind: 'caller', supervised }), ...authenticated());
}

/** Allows a user's access token but no API key. */
export function RequireUser(): MethodDecorator {
  return applyDecorators(declare({ kind: 'user' }), ...authenticated());
}

function authenticated(): MethodDecorator[] {
  return [
    ApiBearerAuth(),
    ApiErrors(Unauthorized, TokenExpired, Forbidden, RateLimited, Internal, NotReady),
  ] as MethodDecorator[];
}
