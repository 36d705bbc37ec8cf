import type { ServerResponse } from 'node:http';
import { type CanActivate, type ExecutionContext, Injectable, Optional } from '@nestjs/common';
import { Signer } from '../providers/signer.js';
import { developmentSigning, findSigningIdentity } from './development-signing.js';
import type { AuthenticatedRequest } from './principal.js';

/**
 * Adds a header to responses with links to passes while the development certificate chain signs passes. Admits every
 * request. Adds nothing in an app that signs no passes.
 *
 * It is a guard and not an interceptor, because Nest would wrap an intercepted handler in observables. The guard sets
 * the header before the handler runs, because a streamed response begins before its handler ends.
 */
@Injectable()
export class DevelopmentSigningGuard implements CanActivate {
  constructor(@Optional() private readonly signer?: Signer) {}

  async canActivate(context: ExecutionContext): Promise<true> {
    const { signer } = this;
    const { principal } = context.switchToHttp().getRequest<AuthenticatedRequest>();
    const identity = signer && principal && (await findSigningIdentity(signer, principal.accountId));
    if (identity?.development) announce(context.switchToHttp().getResponse<ServerResponse>());
    return true;
  }
}

function announce(response: ServerResponse): void {
  for (const [name, value] of Object.entries(developmentSigning)) response.setHeader(name, value);
}
