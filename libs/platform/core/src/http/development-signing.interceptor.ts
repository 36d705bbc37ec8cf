import type { ServerResponse } from 'node:http';
import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { Signer } from '../providers/signer.js';
import type { Observable } from 'rxjs';
import { developmentSigning, findSigningIdentity } from './development-signing.js';
import type { AuthenticatedRequest } from './principal.js';

/**
 * Adds a header to every response that contains links to passes, as long as the development certificate chain signs
 * passes.
 */
@Injectable()
export class DevelopmentSigningInterceptor implements NestInterceptor {
  constructor(private readonly signer: Signer) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const { principal } = context.switchToHttp().getRequest<AuthenticatedRequest>();
    const response = context.switchToHttp().getResponse<ServerResponse>();
    const identity = principal && (await findSigningIdentity(this.signer, principal.accountId));
    // A streamed response begins before its handler ends.
    if (identity?.development) announce(response);
    return next.handle();
  }
}

function announce(response: ServerResponse): void {
  for (const [name, value] of Object.entries(developmentSigning)) response.setHeader(name, value);
}
