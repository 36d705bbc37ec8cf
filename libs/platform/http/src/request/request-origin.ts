import { isIP } from 'node:net';
import { inRequestOf, onClosed, RateLimited, userAgentOf } from '@passwright/core';
import type { NextFunction, Request, Response } from 'express';
import { requestId } from './request-id.js';

/** Attributes everything that runs later to this request. */
export function rememberOrigin(request: Request, response: Response, next: NextFunction): void {
  const { headers } = request;
  // A proxy may pass on anything that the caller sent.
  const ip = isIP(request.ip ?? '') ? request.ip : undefined;
  const userAgent = userAgentOf(headers['user-agent']);
  const origin = { ip, requestId: requestId(request, response), gone: goneSignal(response) };
  inRequestOf({ ...origin, ...(userAgent && { userAgent }) }, next);
}

function goneSignal(response: Response): AbortSignal {
  const gone = new AbortController();
  onClosed(response, () => {
    // This error is never sent. As a 429 it is neither logged as an error nor stored under an idempotency key.
    if (!response.writableFinished) gone.abort(new RateLimited('The client closed the connection; send it again.', 1));
  });
  return gone.signal;
}
