import { createBodylessParameter } from './bodyless-parameter.js';

/** The permissions of a credential. A user has all of them in an account, but `account:write` only as its admin. */
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

/** The caller: a user's access token or an API key, acting on one account. */
export interface Principal {
  readonly kind: 'user' | 'apiKey';
  /** The user's uid or the API key's id. */
  readonly id: string;
  /** The session of a user's token; absent for an API key. */
  readonly sessionId?: string;
  /**
   * A short hash of the API key's secret. A transaction compares it to notice that the key was rotated during the
   * request.
   */
  readonly secretRef?: string;
  readonly accountId: string;
  readonly scopes: readonly Scope[];
  /** The planned deletion time of the account; undefined if no deletion is planned. */
  readonly accountDeletesAt?: Date;
  /** The tools that agents may use with this API key; undefined means all. */
  readonly tools?: readonly string[];
  /** True for an API key that works only through tools. A person must confirm the changes that its agents plan. */
  readonly supervised?: boolean;
  /** When the API key expires; undefined means never. */
  readonly expiresAt?: Date;
}

/** A request with its caller. `AccountsModule` sets the principal, unless a guard of the app has already set one. */
export interface AuthenticatedRequest {
  principal?: Principal;
  /** The tenant that limits apply to: the founder of the caller's account, or the account itself. */
  share?: string;
  /**
   * Checks the credential again during a long request. A guard that sets a principal also sets this function if
   * credentials can be revoked. @throws Unauthorized. @throws Forbidden
   */
  recheckAccess?: () => Promise<void>;
}

/** Injects the authenticated caller into a handler. Only for routes that are not `@Public`. */
export const Caller = createBodylessParameter((_, context): Principal => {
  const { principal } = context.switchToHttp().getRequest<AuthenticatedRequest>();
  if (!principal) throw new Error(`${context.getHandler().name} asks for the caller but is public`);
  return principal;
});
