import { NotReady } from '@passwright/core';
import type { NextFunction, Request, Response } from 'express';

/**
 * Rejects every request except for health and metrics, on a node that only runs jobs. The status is 503 and not 404,
 * because a phone would treat a 404 as a deleted pass if a load balancer sent the request to the wrong node.
 */
export function onlyOperation({ path }: Request, _response: Response, next: NextFunction): void {
  if (/^\/(health|metrics)(\/|$)/.test(path)) next();
  else next(new NotReady('This node only runs jobs (ROLE=worker); send requests to a node with ROLE=api or ROLE=all.'));
}
