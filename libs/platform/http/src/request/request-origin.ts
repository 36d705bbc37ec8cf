import { isIP } from 'node:net';
import {
  inRequestOf,
  onClosed,
  RateLimited,
  userAgentOf,
  type Principal,
  type RequestOrigin,
  type RequestPlace,
} from '@passwright/core';
import type { NextFunction, Request, Response } from 'express';
import { requestId } from './request-id.js';

/** The origin of a request. What few requests need is made when it is first read. */
class Origin implements RequestOrigin {
  readonly ip: string | undefined;
  readonly requestId: string;
  principal?: Principal;
  share?: string;
  place?: RequestPlace;
  private signal: AbortSignal | undefined;

  constructor(
    private readonly request: Request,
    private readonly response: Response,
  ) {
    // A proxy may pass on anything that the caller sent.
    this.ip = isIP(request.ip ?? '') ? request.ip : undefined;
    this.requestId = requestId(request, response);
  }

  get userAgent(): string | undefined {
    return userAgentOf(this.request.headers['user-agent']);
  }

  get gone(): AbortSignal {
    this.signal ??= goneSignal(this.response);
    return this.signal;
  }
}

/** Attributes everything that runs later to this request. */
export function rememberOrigin(request: Request, response: Response, next: NextFunction): void {
  inRequestOf(new Origin(request, response), next);
}

function goneSignal(response: Response): AbortSignal {
  const gone = new AbortController();
  const abortUnlessSent = () => {
    // This error is never sent. As a 429 it is neither logged as an error nor stored under an idempotency key.
    if (!response.writableFinished) gone.abort(new RateLimited('The client closed the connection; send it again.', 1));
  };
  if (response.closed) abortUnlessSent();
  else onClosed(response, abortUnlessSent);
  return gone.signal;
}
