import type { ServerResponse } from 'node:http';
import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { Signer } from '../providers/signer.js';
import type { Observable } from 'rxjs';
import { developmentSigning, findSigningIdentity } from './development-signing.js';
import type { AuthenticatedRequest } from './principal.js';

/** Says so on every answer with links to passes when these are signed by the development chain. */
@Injectable()
export class DevelopmentSigningInterceptor implements NestInterceptor {
  constructor(private readonly signer: Signer) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const { principal } = context.switchToHttp().getRequest<AuthenticatedRequest>();
    const response = context.switchToHttp().getResponse<ServerResponse>();
    const identity = principal && (await findSigningIdentity(this.signer, principal.accountId));
    // What is answered line by line has begun by the time that its handler ends.
    if (identity?.development) announce(response);
    return next.handle();
  }
}

function announce(response: ServerResponse): void {
  for (const [name, value] of Object.entries(developmentSigning)) response.setHeader(name, value);
}
