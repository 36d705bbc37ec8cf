import type { IncomingMessage } from 'node:http';
import { Injectable, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import {
  ACCESS,
  ApiKeyRequired,
  Forbidden,
  requestOrigin,
  RouteAuthentication,
  type Access,
  type AuthenticatedRequest,
  type Principal,
} from '@passwright/core';
import { AccountsService } from '../accounts/accounts.service.js';
import { AccountBeingDeleted } from '../accounts/account-being-deleted.js';
import { Authenticator } from './authenticator.service.js';
import { bearerToken } from './bearer-token.js';

/**
 * Admits a request according to its route's access rule (`@Public`, `@RequireUser`, `@RequireScope`) and stores the
 * principal in the request. Revoked credentials and removed members are rejected from the next request on, on every
 * node. A route without a rule is a programming error and returns 500. Passwright's routes run this guard by themselves;
 * `@UseGuards(AuthGuard)` protects another route. If a guard of the app has set `request.principal`, only the rule is
 * applied to it.
 */
@Injectable()
export class AuthGuard extends RouteAuthentication {
  constructor(
    private readonly reflector: Reflector,
    private readonly authenticator: Authenticator,
    private readonly accounts: AccountsService,
  ) {
    super();
  }

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const access = this.reflector.get<Access | undefined>(ACCESS, context.getHandler());
    if (!access) throw new Error(`${context.getClass().name}.${context.getHandler().name} declares no access rule`);
    return access.kind === 'public' || this.admit(context, access);
  }

  private async admit(context: ExecutionContext, access: Exclude<Access, { kind: 'public' }>): Promise<boolean> {
    const request = context.switchToHttp().getRequest<IncomingMessage & AuthenticatedRequest & { ip?: string }>();
    if (request.principal) {
      requireAccess(request.principal, access);
      requireUnchanged(request.principal, access, request.method);
      return true;
    }
    const token = bearerToken(request);
    const principal = await this.authenticator.authenticate(token, request.ip);
    requireAccess(principal, access);
    requireUnchanged(principal, access, request.method);
    request.principal = principal;
    request.share = await this.accounts.shareOf(principal.accountId);
    request.recheckAccess = async () => {
      const present = await this.authenticator.recheck(principal, token);
      requireAccess(present, access);
      requireUnchanged(present, access, request.method);
    };
    const origin = requestOrigin();
    if (!origin) return true;
    origin.principal = principal;
    origin.share = request.share;
    return true;
  }
}

function requireAccess({ kind, scopes }: Principal, access: Exclude<Access, { kind: 'public' }>): void {
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

/** Rejects changes in an account that is being deleted. Its users can still read it and change their own data. */
function requireUnchanged({ accountDeletesAt }: Principal, access: Access, method: string | undefined): void {
  if (!accountDeletesAt || access.kind === 'user' || method === 'GET' || method === 'HEAD') return;
  throw new AccountBeingDeleted(accountDeletesAt);
}
