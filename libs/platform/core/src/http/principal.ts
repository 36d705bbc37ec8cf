import { createParamDecorator, type ExecutionContext } from '@nestjs/common';

/** What a credential may do. A user has all of them in an account, `account:write` only as its admin. */
export const scopes = [
  'templates:read',
  'templates:write',
  'passes:read',
  'passes:write',
  'members:read',
  'members:write',
  'account:read',
  'account:write',
] as const;
export type Scope = (typeof scopes)[number];

/** Who is calling: a user's access token or an API key, acting on one account. */
export interface Principal {
  readonly kind: 'user' | 'apiKey';
  /** The user's uid or the API key's id. */
  readonly id: string;
  /** The session that a user's token is of; absent for an API key. */
  readonly sessionId?: string;
  readonly accountId: string;
  readonly scopes: readonly Scope[];
  /** Time of the account's planned deletion; undefined without one. */
  readonly accountDeletesAt?: Date;
  /** Of an API key: the tools that agents may use it for; undefined: all. */
  readonly tools?: readonly string[];
}

/** The guard leaves the principal here. */
export interface AuthenticatedRequest {
  principal?: Principal;
  /** Names the tenant that limits count: the founder of the caller's account, or the account. */
  share?: string;
  /** Looks the credential up again, for answers that take long. @throws Unauthorized. @throws Forbidden */
  recheckAccess?: () => Promise<void>;
}

/** Parameter decorator: the authenticated caller. Only on routes that declare `@RequireScope` or `@RequireUser`. */
export const Caller = createParamDecorator((_: unknown, context: ExecutionContext): Principal => {
  const { principal } = context.switchToHttp().getRequest<AuthenticatedRequest>();
  if (!principal) throw new Error(`${context.getHandler().name} asks for the caller but is public`);
  return principal;
});
