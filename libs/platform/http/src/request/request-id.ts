import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { NextFunction } from 'express';

const acceptable = /^[A-Za-z0-9._-]{1,128}$/;

/** A request with its id. */
export type IdentifiedRequest = IncomingMessage & { id?: unknown };

/**
 * Returns the request's id: the caller's `X-Request-Id` if it is 1 to 128 characters of `[A-Za-z0-9._-]`, otherwise a
 * new one. The first call stores the id as `request.id` and sets the response header. Has the signature of pino-http's
 * `genReqId`.
 */
export function requestId(request: IdentifiedRequest, response: ServerResponse): string {
  return typeof request.id === 'string' ? request.id : assignId(request, response, chosenId(request));
}

/** Returns the id that a request has or would get, and changes nothing. */
export function chosenId(request: IdentifiedRequest): string {
  if (typeof request.id === 'string') return request.id;
  const sent = request.headers['x-request-id'];
  return typeof sent === 'string' && acceptable.test(sent) ? sent : randomUUID();
}

/** Stores a request's id and sets the response header. */
export function assignId(request: IdentifiedRequest, response: ServerResponse, id: string): string {
  request.id = id;
  response.setHeader('X-Request-Id', id);
  return id;
}

/** Assigns the request id. Runs as the first middleware, so that every response carries the id. */
export function identifyRequests(request: IncomingMessage, response: ServerResponse, next: NextFunction): void {
  requestId(request, response);
  next();
}
