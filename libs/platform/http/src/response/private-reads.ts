import type { ExecutionContext } from '@nestjs/common';
import type { Request, Response } from 'express';

/**
 * Forbids shared caches to store the response of a read, and makes the caller's own cache revalidate it. A route that
 * sets `Cache-Control` itself overrides this. Without the header, each cache would apply a rule of its own.
 */
export const privateReads = {
  canActivate(context: ExecutionContext): boolean {
    const http = context.switchToHttp();
    const { method } = http.getRequest<Request>();
    if (method === 'GET' || method === 'HEAD') {
      http.getResponse<Response>().setHeader('Cache-Control', 'private, no-cache');
    }
    return true;
  },
};
