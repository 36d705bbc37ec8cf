import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ACCESS, BODY_BYTES, whileAllowed, type Access, type AuthenticatedRequest } from '@passwright/core';
import type { Request, Response } from 'express';
import type { Observable } from 'rxjs';
import { HttpOptions } from '../http.options.js';
import { callerKey } from '../rate-limit/caller-key.js';
import { BodyBudget } from './body-budget.js';
import { DEFAULT_BUDGET_BYTES, JSON_BYTES, PUBLIC_JSON_BYTES } from './body-limits.js';
import { bodyTooLarge, BodyReader } from './body-reader.js';
import { readJson, requireReadableJson } from './json-body.js';
import { hasBody, isJson } from './media-type.js';
import { parsedBody } from './parsed-body.js';

/**
 * Reads a request's body after the guards have accepted the caller. The body is bytes if the route has `@TakesBytes`,
 * otherwise JSON of at most 16 KiB on public routes and 1 MiB on others. A missing body becomes `{}`, so that
 * validation names the missing properties. A body that takes more than two seconds ends soon after its caller's
 * credential is revoked. Bodies of other media types stay unread, for the routes that accept them. A body that a parser
 * of the app has read is checked in the same way. `WireConventions` binds it to the write routes; the body of a GET or
 * HEAD has no meaning (RFC 9110 §9.3.1).
 * @throws PayloadTooLarge, MalformedJson, UnsupportedMediaType, ValidationFailed, RateLimited, NotReady, and
 * Unauthorized or Forbidden for a caller who has lost access
 */
@Injectable()
export class BodyInterceptor implements NestInterceptor {
  private readonly reader: BodyReader;

  constructor(
    private readonly reflector: Reflector,
    { bodyBudgetBytes = DEFAULT_BUDGET_BYTES }: HttpOptions,
  ) {
    this.reader = new BodyReader(new BodyBudget(bodyBudgetBytes));
  }

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> | Promise<Observable<unknown>> {
    const request = context.switchToHttp().getRequest<Request>();
    const maxBytes = this.reflector.get<number | undefined>(BODY_BYTES, context.getHandler());
    if (!hasBody(request)) {
      request.body = maxBytes === undefined ? {} : Buffer.alloc(0);
      return next.handle();
    }
    if (maxBytes === undefined && !isJson(request)) return next.handle();
    const response = context.switchToHttp().getResponse<Response>();
    const reading = this.read(request, response, context, maxBytes);
    return whileAllowed(request as AuthenticatedRequest, reading).then(() => next.handle());
  }

  private async read(
    request: Request,
    response: Response,
    context: ExecutionContext,
    maxBytes: number | undefined,
  ): Promise<void> {
    if (maxBytes !== undefined) {
      request.body = await this.bytesOf(request, response, maxBytes);
      return;
    }
    const limit = this.isPublic(context) ? PUBLIC_JSON_BYTES : JSON_BYTES;
    requireReadableJson(request);
    request.body = readJson(request, await this.bytesOf(request, response, limit));
  }

  private async bytesOf(request: Request, response: Response, maxBytes: number): Promise<Buffer> {
    const parsed = parsedBody(request);
    if (!parsed) return this.reader.read(request, response, { maxBytes, holder: callerKey(request) });
    if (parsed.length > maxBytes) throw bodyTooLarge(maxBytes);
    return parsed;
  }

  private isPublic(context: ExecutionContext): boolean {
    return this.reflector.get<Access | undefined>(ACCESS, context.getHandler())?.kind === 'public';
  }
}
