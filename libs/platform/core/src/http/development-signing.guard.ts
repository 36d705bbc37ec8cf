import type { ServerResponse } from 'node:http';
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Signer } from '../providers/signer.js';
import { developmentSigning, findSigningIdentity } from './development-signing.js';
import type { AuthenticatedRequest } from './principal.js';

/**
 * Adds a header to every response that contains links to passes, as long as the development certificate chain signs
 * passes. Admits every request. This is a guard, because an interceptor would make Nest wrap the handler in
 * observables. A streamed response begins before its handler ends, so the header is set before the handler runs.
 */
@Injectable()
export class DevelopmentSigningGuard implements CanActivate {
  constructor(private readonly signer: Signer) {}

  async canActivate(context: ExecutionContext): Promise<true> {
    const { principal } = context.switchToHttp().getRequest<AuthenticatedRequest>();
    const identity = principal && (await findSigningIdentity(this.signer, principal.accountId));
    if (identity?.development) announce(context.switchToHttp().getResponse<ServerResponse>());
    return true;
  }
}

function announce(response: ServerResponse): void {
  for (const [name, value] of Object.entries(developmentSigning)) response.setHeader(name, value);
}
