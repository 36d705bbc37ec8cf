import { createHash } from 'node:crypto';
import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import { Reflector } from '@nestjs/core';
import {
  Clock,
  IdempotencyKeyReused,
  SECRET_ANSWER,
  ValidationFailed,
  type AuthenticatedRequest,
} from '@passwright/core';
import { Database } from '@passwright/database';
import type { Request, Response } from 'express';
import { lastValueFrom, of, type Observable } from 'rxjs';
import type { EntityManager } from 'typeorm';
import { bodyHash } from '../request/json-body.js';
import { splitTarget } from '../request/request-target.js';
import { Turns } from './turns.js';
import { failureToKeep, keptFailure, keptResult, sendKept } from './kept-answer.js';
import type { IdempotencyKey } from './idempotency-key.entity.js';
import { IdempotencyRepository, type RequestIdentity, type StoredAnswer } from './idempotency.repository.js';

const writes = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);
const acceptable = /^[\x21-\x7e]{1,255}$/;

/**
 * `Idempotency-Key`: the same key from the same caller on the same route, with the same query and body, gets the first
 * answer within 24 hours, byte for byte, marked `Idempotency-Replayed: true`; simultaneous ones too. With another body it
 * is refused.
 *
 * The key, what the handler changes and the answer are one transaction: a crash leaves none of them, and the retry runs
 * afresh. Of a 4xx only the answer is kept; a 401, 408, 429 or 5xx leaves nothing. Routes without a caller, uploads
 * (stored by content, so harmless to repeat), answers that hold a secret and answers that a handler streams are exempt.
 * @throws ValidationFailed, IdempotencyKeyReused
 */
@Injectable()
export class IdempotencyInterceptor implements NestInterceptor {
  private readonly turns = new Turns();

  constructor(
    private readonly database: Database,
    private readonly keys: IdempotencyRepository,
    private readonly clock: Clock,
    private readonly reflector: Reflector,
  ) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const request = context.switchToHttp().getRequest<Request & AuthenticatedRequest>();
    const identity = writes.has(request.method) ? identify(request) : null;
    if (!identity || this.isExempt(context)) return next.handle();
    const response = context.switchToHttp().getResponse<Response>();
    const answerOnce = () =>
      this.database.inOneTransaction((tx) => this.answerOnce(tx, identity, request, response, next));
    const answer = await this.turns.take(`${identity.accountId} ${identity.keyHash.toString('hex')}`, answerOnce);
    return of(sendKept(answer, response));
  }

  private isExempt(context: ExecutionContext): boolean {
    return this.reflector.get<boolean>(SECRET_ANSWER, context.getHandler()) || writesItself(context);
  }

  private async answerOnce(
    tx: EntityManager,
    identity: RequestIdentity,
    request: Request,
    response: Response,
    next: CallHandler,
  ): Promise<StoredAnswer> {
    const kept = await this.keys.claim(tx, identity, this.clock.now());
    if (kept) return replay(kept, identity, response);
    const answer = await this.run(request, response, next);
    await this.keys.complete(tx, identity, answer);
    return answer;
  }

  /** In a transaction within the transaction, so that of a refused request everything but the refusal is undone. */
  private async run(request: Request, response: Response, next: CallHandler): Promise<StoredAnswer> {
    try {
      const handler = () => lastValueFrom(next.handle(), { defaultValue: undefined });
      return keptResult(await this.database.transaction<unknown>(handler), response);
    } catch (error) {
      const failure = failureToKeep(error, request);
      if (!failure) throw error;
      return keptFailure(failure, response);
    }
  }
}

/** Null when the request has no key, no caller, or a body that only its route reads. */
function identify(request: Request & AuthenticatedRequest): RequestIdentity | null {
  const { principal, method } = request;
  const key = request.headers['idempotency-key'];
  if (key === undefined || !principal) return null;
  if (typeof key !== 'string' || !acceptable.test(key)) {
    throw new ValidationFailed('the Idempotency-Key header must be 1 to 255 visible ASCII characters');
  }
  const body = bodyHash(request);
  if (!body) return null;
  const { path, query } = splitTarget(request.originalUrl);
  return {
    accountId: principal.accountId,
    keyHash: sha256(JSON.stringify([principal.kind, principal.id, method, path, key])),
    requestHash: sha256(`${query}\n${body.toString('hex')}`),
  };
}

function replay(kept: IdempotencyKey, { requestHash }: RequestIdentity, response: Response): StoredAnswer {
  if (!kept.requestHash.equals(requestHash)) {
    throw new IdempotencyKeyReused(
      'This Idempotency-Key was used on this route with another query or body; make a new key for a new request.',
    );
  }
  response.setHeader('Idempotency-Replayed', 'true');
  const { statusCode, headers, body } = kept;
  if (statusCode === null) throw new Error('An idempotency key was committed without its answer');
  return { statusCode, headers: headers ?? {}, body };
}

/** Whether the handler takes the response and writes it by itself. */
function writesItself(context: ExecutionContext): boolean {
  const metadata: unknown = Reflect.getMetadata(ROUTE_ARGS_METADATA, context.getClass(), context.getHandler().name);
  return Object.keys(metadata ?? {}).some((key) => key.startsWith(`${RouteParamtypes.RESPONSE}:`));
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
