import { Injectable, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ACCESS, BODY_BYTES, whileAllowed, type Access, type AuthenticatedRequest } from '@passwright/core';
import type { Request, Response } from 'express';
import { HttpOptions } from '../http.options.js';
import { callerKey } from '../rate-limit/caller-key.js';
import { BodyBudget } from './body-budget.js';
import { DEFAULT_BUDGET_BYTES, JSON_BYTES, PUBLIC_JSON_BYTES } from './body-limits.js';
import { type BodyLimits, bodyTooLarge, BodyReader } from './body-reader.js';
import { requireNotIgnored } from './ignored-body.js';
import { readJson, requireReadableJson } from './json-body.js';
import { hasBody, isJson } from './media-type.js';
import { parsedBody } from './parsed-body.js';

/**
 * Reads a request's body after the guards have accepted the caller: bytes if the route has `@TakesBytes`, otherwise
 * JSON of at most 16 KiB on public routes and 1 MiB on others. A missing body becomes `{}`, so that validation names
 * the missing properties. Reading ends soon after the caller's credential is revoked. Leaves other media types unread.
 * Checks a body that a parser of the app has read in the same way. Rejects properties that the handler would ignore.
 * Only for write routes, because the body of a GET or HEAD has no meaning (RFC 9110 §9.3.1).
 * @throws PayloadTooLarge, MalformedJson, UnsupportedMediaType, ValidationFailed, RateLimited, NotReady, and
 * Unauthorized or Forbidden for a caller who has lost access
 */
@Injectable()
export class BodyService {
  private readonly reader: BodyReader;

  constructor(
    private readonly reflector: Reflector,
    { bodyBudgetBytes = DEFAULT_BUDGET_BYTES }: HttpOptions,
  ) {
    this.reader = new BodyReader(new BodyBudget(bodyBudgetBytes));
  }

  /**
   * Sets `request.body`.
   * @returns null if the body had already arrived, so that the request continues immediately
   */
  read(context: ExecutionContext): Promise<void> | null {
    const request = context.switchToHttp().getRequest<Request>();
    const maxBytes = this.reflector.get<number | undefined>(BODY_BYTES, context.getHandler());
    if (!hasBody(request)) {
      request.body = maxBytes === undefined ? {} : Buffer.alloc(0);
      return null;
    }
    if (maxBytes === undefined && !isJson(request)) return null;
    if (maxBytes === undefined) requireReadableJson(request);
    const store = (bytes: Buffer) => {
      request.body = maxBytes === undefined ? readJson(request, bytes) : bytes;
      if (maxBytes === undefined) requireNotIgnored(context, request.body as object);
    };
    const response = context.switchToHttp().getResponse<Response>();
    const limits = { maxBytes: maxBytes ?? this.jsonLimit(context), holder: callerKey(request) };
    const arrived = this.arrived(request, response, limits);
    if (!arrived) {
      return whileAllowed(request as AuthenticatedRequest, this.reader.read(request, response, limits).then(store));
    }
    store(arrived);
    return null;
  }

  /** Returns a body that has already arrived or been parsed; null if it must be awaited. */
  private arrived(request: Request, response: Response, limits: BodyLimits): Buffer | null {
    const parsed = parsedBody(request);
    if (!parsed) return this.reader.readArrived(request, response, limits);
    if (parsed.length > limits.maxBytes) throw bodyTooLarge(limits.maxBytes);
    return parsed;
  }

  private jsonLimit(context: ExecutionContext): number {
    const access = this.reflector.get<Access | undefined>(ACCESS, context.getHandler());
    return access?.kind === 'public' ? PUBLIC_JSON_BYTES : JSON_BYTES;
  }
}
