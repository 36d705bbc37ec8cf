import { AsyncResource } from 'node:async_hooks';
import type { NextFunction, Request, Response } from 'express';

/**
 * Begins a pipelined request once the responses before it on its connection have ended. A client expects its writes to
 * happen in order (RFC 9112 §9.3.2). A response has no connection until then, so Node would not report that the client
 * has disconnected, and what the request holds until its response closes would never be released. Use it before every
 * other middleware.
 */
export function beginInOrder(_request: Request, response: Response, next: NextFunction): void {
  if (response.socket) next();
  else
    response.once(
      'socket',
      AsyncResource.bind(() => next()),
    );
}
