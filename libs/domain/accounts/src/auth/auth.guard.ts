import type { IncomingMessage } from 'node:http';
import { Injectable, type ExecutionContext } from '@nestjs/common';
import {
  accessRuleOf,
  attributeRequest,
  Forbidden,
  givenPrincipal,
  isFromTool,
  requireAccess,
  RouteAuthentication,
  type AuthenticatedRequest,
  type CallerAccess,
  type Principal,
} from '@passwright/core';
import { AccountsService } from '../accounts/accounts.service.js';
import { AccountBeingDeleted } from '../accounts/account-being-deleted.js';
import { Authenticator } from './authenticator.service.js';
import { bearerToken } from './bearer-token.js';

/**
 * Admits a request according to its route's access rule (`@Public`, `@RequireUser`, `@RequireScope`) and stores the
 * principal in the request. Rejects revoked credentials and removed members from the next request on, on every node. A
 * route without a rule is a programming error and returns 500. Protect other routes with `@UseGuards(AuthGuard)`. If a
 * guard of the host app has set `request.principal`, applies the rules to it.
 */
@Injectable()
export class AuthGuard extends RouteAuthentication {
  constructor(
    private readonly authenticator: Authenticator,
    private readonly accounts: AccountsService,
  ) {
    super();
  }

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const access = accessRuleOf(context);
    const request = context.switchToHttp().getRequest<CalledRequest>();
    const given = givenPrincipal(request);
    if (access.kind === 'public') return true;
    return given ? this.admitGiven(request, given, access) : this.admit(request, access);
  }

  private async admit(request: CalledRequest, access: CallerAccess): Promise<boolean> {
    const token = bearerToken(request);
    const principal = await this.authenticator.authenticate(token, request.ip, !isRead(request.method));
    requireAccess(principal, access);
    requireTool(principal, access, request);
    requireUnchanged(principal, access, request.method);
    attributeRequest(request, principal, await this.accounts.shareOf(principal.accountId));
    request.recheckAccess = async () => {
      const present = await this.authenticator.recheck(principal, token);
      requireAccess(present, access);
      requireUnchanged(present, access, request.method);
    };
    return true;
  }

  private async admitGiven(request: CalledRequest, given: Principal, access: CallerAccess): Promise<boolean> {
    requireTool(given, access, request);
    await this.requireAllowed(given, access, request.method);
    attributeRequest(request, given, request.share ?? (await this.accounts.shareOf(given.accountId)));
    const recheckOfApp = request.recheckAccess;
    request.recheckAccess = async () => {
      await recheckOfApp?.();
      await this.requireAllowed(request.principal ?? given, access, request.method);
    };
    return true;
  }

  /**
   * Applies the rules to a principal. For a request that changes data, also checks that the account still exists,
   * because the host app's own guard might not.
   */
  private async requireAllowed(given: Principal, access: CallerAccess, method: string | undefined): Promise<void> {
    requireAccess(given, access);
    requireUnchanged(given, access, method);
    if (isChange(access, method)) await this.accounts.requireStored(given.accountId);
  }
}

type CalledRequest = IncomingMessage & AuthenticatedRequest & { ip?: string };

/** Rejects requests with a supervised API key, unless they come from a tool or the route admits such keys. */
function requireTool({ supervised }: Principal, access: CallerAccess, request: IncomingMessage): void {
  if (!supervised || isFromTool(request) || (access.kind === 'caller' && access.supervised)) return;
  throw new Forbidden('This API key is supervised: it works only at /mcp, where a person confirms plans.');
}

/** Rejects changes in an account that is being deleted. Users can still read the account and change their own data. */
function requireUnchanged({ accountDeletesAt }: Principal, access: CallerAccess, method: string | undefined): void {
  if (accountDeletesAt && isChange(access, method)) throw new AccountBeingDeleted(accountDeletesAt);
}

function isChange(access: CallerAccess, method: string | undefined): boolean {
  return access.kind !== 'user' && !isRead(method);
}

function isRead(method: string | undefined): boolean {
  return method === 'GET' || method === 'HEAD';
}
