import { NotReady } from '@passwright/core';
import type { NextFunction, Request, Response } from 'express';

/**
 * Rejects every request except health and metrics on a node that only runs jobs. Responds with 503, because a phone
 * would treat a 404 as a deleted pass.
 */
export function rejectOnWorker({ path }: Request, _response: Response, next: NextFunction): void {
  if (/^\/(health|metrics)(\/|$)/.test(path)) next();
  else next(new NotReady('This node only runs jobs (ROLE=worker); send requests to a node with ROLE=api or ROLE=all.'));
}
