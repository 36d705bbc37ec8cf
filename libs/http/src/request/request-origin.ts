import { isIP } from 'node:net';
import { inRequestOf, userAgentOf } from '@passwright/core';
import type { NextFunction, Request, Response } from 'express';
import { requestId } from './request-id.js';

/** From here on, what is done is known to be done for this request. */
export function rememberOrigin(request: Request, response: Response, next: NextFunction): void {
  const { headers } = request;
  // A proxy may hand on whatever the caller has sent it.
  const ip = isIP(request.ip ?? '') ? request.ip : undefined;
  const userAgent = userAgentOf(headers['user-agent']);
  inRequestOf({ ip, requestId: requestId(request, response), ...(userAgent && { userAgent }) }, next);
}
