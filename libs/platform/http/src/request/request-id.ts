import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { NextFunction } from 'express';

const acceptable = /^[A-Za-z0-9._-]{1,128}$/;

/** A request that has its id. */
export type IdentifiedRequest = IncomingMessage & { id?: unknown };

/**
 * The request's id: the caller's `X-Request-Id` when it is 1 to 128 characters of `[A-Za-z0-9._-]`, else a new one. The
 * first call stores it as `request.id` and sets the answer's header; later ones return the same. Fits pino-http's `genReqId`.
 */
export function requestId(request: IdentifiedRequest, response: ServerResponse): string {
  if (typeof request.id === 'string') return request.id;
  const sent = request.headers['x-request-id'];
  const id = typeof sent === 'string' && acceptable.test(sent) ? sent : randomUUID();
  request.id = id;
  response.setHeader('X-Request-Id', id);
  return id;
}

/** The first middleware of all, so that every answer carries the id, whatever goes wrong after it. */
export function identifyRequests(request: IncomingMessage, response: ServerResponse, next: NextFunction): void {
  requestId(request, response);
  next();
}
