import type { ExecutionContext } from '@nestjs/common';
import {
  accessRuleOf,
  attributeRequest,
  givenPrincipal,
  requireAccess,
  RouteAuthentication,
  Unauthorized,
  type AuthenticatedRequest,
} from '@passwright/core';

/** Accepts the principal that a guard of the app has set. Used without `AccountsModule`. */
export class GivenPrincipalAuthentication extends RouteAuthentication {
  canActivate(context: ExecutionContext): boolean {
    const access = accessRuleOf(context);
    const request = context.switchToHttp().getRequest<AuthenticatedRequest>();
    const principal = givenPrincipal(request);
    if (access.kind === 'public') return true;
    if (!principal) throw new Unauthorized('Sign in.');
    requireAccess(principal, access);
    attributeRequest(request, principal, request.share ?? principal.accountId);
    return true;
  }
}
