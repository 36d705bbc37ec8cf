import { createHash } from 'node:crypto';
import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import {
  Clock,
  IdempotencyKeyReused,
  requestOrigin,
  SameKeyQueue,
  ValidationFailed,
  type AuthenticatedRequest,
} from '@passwright/core';
import { Database, isUniqueViolation, repeatedOnRejectedName } from '@passwright/database';
import type { Request, Response } from 'express';
import { lastValueFrom, of, type Observable } from 'rxjs';
import type { EntityManager } from 'typeorm';
import { HttpOptions } from '../http.options.js';
import { type HandlerParameters, handlerParameters } from '../request/handler-parameters.js';
import { bodyHash } from '../request/json-body.js';
import { routePath, splitTarget } from '../request/request-target.js';
import { taggedBody } from '../response/tagged-responses.js';
import {
  IdempotencyRepository,
  type StoredResult,
  type RequestIdentity,
  type StoredResponse,
} from './idempotency.repository.js';
import { failureToStore, forgetResponse, storedFailure, storedResult, sendStored } from './stored-response.js';

const writes = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);
const acceptable = /^[\x21-\x7e]{1,255}$/;

/** Ends a request whose duplicate has already stored a response. */
class CompletedMeanwhile extends Error {
  constructor(readonly first: StoredResult) {
    super('A request with the same Idempotency-Key already has a response');
  }
}

/**
 * Implements `Idempotency-Key`. For 24 hours, a repeated request (same key, caller, route, query and body) gets the
 * first response byte for byte, marked `Idempotency-Replayed: true`. Simultaneous requests do too. The same key with
 * another body is rejected.
 *
 * The key, the handler's changes and the response share one transaction. A crash leaves none of them, and the retry
 * runs from the beginning. A 401, 408, 412, 429 or 5xx stores nothing; any other 4xx stores only the response.
 *
 * The header has no effect on routes without a caller, uploads (harmless to repeat), responses that contain a secret,
 * and streamed responses. `WireConventions` binds this interceptor to all other write routes.
 * @throws ValidationFailed, IdempotencyKeyReused, RateLimited
 */
@Injectable()
export class IdempotencyInterceptor implements NestInterceptor {
  private readonly queue = new SameKeyQueue();

  constructor(
    private readonly database: Database,
    private readonly keys: IdempotencyRepository,
    private readonly clock: Clock,
    private readonly options: HttpOptions,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> | Promise<Observable<unknown>> {
    const request = context.switchToHttp().getRequest<Request & AuthenticatedRequest>();
    const identity = writes.has(request.method) ? identify(request, handlerParameters(context)) : null;
    if (!identity) return next.handle();
    return this.once(identity, request, context.switchToHttp().getResponse<Response>(), next);
  }

  private async once(
    identity: RequestIdentity,
    request: Request,
    response: Response,
    next: CallHandler,
  ): Promise<Observable<unknown>> {
    const reply = await this.queue.run(
      `${identity.accountId} ${identity.keyHash.toString('hex')}`,
      async () => {
        const first = await this.keys.findStored(identity, this.clock.now());
        return first ? replay(first, identity, response) : this.respondOnce(identity, request, response, next);
      },
      requestOrigin()?.gone,
    );
    return of(sendStored(reply, response, this.options.errorHelpUrl));
  }

  /**
   * Runs the transaction, which begins at the handler's first write or when the response is stored. It claims the key
   * first.
   */
  private async respondOnce(
    identity: RequestIdentity,
    request: Request,
    response: Response,
    next: CallHandler,
  ): Promise<StoredResponse> {
    const sendAndStore = async (begin: () => Promise<EntityManager>) => {
      const reply = await this.handle(request, response, next);
      await this.keys.complete(await begin(), identity, reply, this.clock.now());
      return reply;
    };
    try {
      // A rejected name rolls the transaction back, so that the handler may run again, as it would for a retry of the
      // client. Like a retry, it counts attempts again, because limits count outside the transaction.
      return await repeatedOnRejectedName(() =>
        this.database.inOneTransaction(sendAndStore, (tx) => this.takeKey(tx, identity)),
      );
    } catch (error) {
      if (error instanceof CompletedMeanwhile) return replay(error.first, identity, response);
      // A unique violation means that a node of an earlier version, which takes no lock, was faster.
      if (!isUniqueViolation(error, 'idempotency_key_pkey', ['account_id', 'key_hash'])) throw error;
      const first = await this.keys.findStored(identity, this.clock.now());
      if (!first) throw error;
      return replay(first, identity, response);
    }
  }

  private async takeKey(tx: EntityManager, identity: RequestIdentity): Promise<void> {
    const first = await this.keys.claim(tx, identity, this.clock.now());
    if (first) throw new CompletedMeanwhile(first);
  }

  /**
   * Runs the handler in a nested transaction, so that a rejection rolls back its changes but not the stored response.
   */
  private async handle(request: Request, response: Response, next: CallHandler): Promise<StoredResponse> {
    try {
      const handler = () => lastValueFrom(next.handle(), { defaultValue: undefined });
      const result = await this.database.inOneTransaction<unknown>(handler);
      return storedResult(taggedBody(result, response), response);
    } catch (error) {
      const failure = failureToStore(error, request);
      if (!failure) throw error;
      return storedFailure(failure, response, this.options.errorHelpUrl);
    }
  }
}

/** Returns the identity of a request; null if it has no key or no caller, or if its route reads the body itself. */
function identify(
  request: Request & AuthenticatedRequest,
  { mayTakeBody, mayTakeQuery }: HandlerParameters,
): RequestIdentity | null {
  const { principal, method } = request;
  const key = request.headers['idempotency-key'];
  if (key === undefined || !principal) return null;
  if (typeof key !== 'string' || !acceptable.test(key)) {
    throw new ValidationFailed('the Idempotency-Key header must be 1 to 255 visible ASCII characters');
  }
  const body = bodyHash(request);
  if (!body) return null;
  // A body or query that the handler does not take is empty, in one of several spellings.
  const query = mayTakeQuery ? splitTarget(request.originalUrl).query : '';
  const content = mayTakeBody ? body : sha256('');
  return {
    accountId: principal.accountId,
    share: request.share ?? principal.accountId,
    key,
    keyHash: sha256(JSON.stringify([principal.kind, principal.id, method, routePath(request), key])),
    requestHash: sha256(`${query}\n${content.toString('hex')}`),
  };
}

function replay(first: StoredResult, { requestHash }: RequestIdentity, response: Response): StoredResponse {
  if (!first.requestHash.equals(requestHash)) {
    throw new IdempotencyKeyReused(
      'This Idempotency-Key was used on this route with another query or body; make a new key for a new request.',
    );
  }
  forgetResponse(response);
  response.setHeader('Idempotency-Replayed', 'true');
  return first;
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
