import type { ExecutionContext } from '@nestjs/common';
import type { Request, Response } from 'express';

/** The `Cache-Control` of responses that only the caller's own cache may store, and must revalidate each time. */
const PRIVATE = 'private, no-cache';

/** Sets the `Cache-Control` of a private response, unless a route or middleware of the app has set one. */
export function makePrivate(response: Response): void {
  if (!response.hasHeader('Cache-Control')) response.setHeader('Cache-Control', PRIVATE);
}

/**
 * Forbids shared caches to store the response of a read, and makes the caller's own cache revalidate it. A route or
 * middleware that sets `Cache-Control` overrides this. Without the header, each cache would apply a rule of its own.
 */
export const privateReads = {
  canActivate(context: ExecutionContext): boolean {
    const http = context.switchToHttp();
    const { method } = http.getRequest<Request>();
    if (method === 'GET' || method === 'HEAD') makePrivate(http.getResponse<Response>());
    return true;
  },
};
