import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import { namesTag, parseTags, Tagged } from '@passwright/core';
import type { Request, Response } from 'express';
import { map, type Observable } from 'rxjs';

/**
 * Sends a handler's `Tagged` result: the body with its `ETag`, or 304 without a body if a read's `If-None-Match` names
 * that tag. Only the caller's own cache may store the response, and must revalidate it each time.
 */
@Injectable()
export class TaggedInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<Request>();
    const response = context.switchToHttp().getResponse<Response>();
    return next
      .handle()
      .pipe(map((result: unknown) => (result instanceof Tagged ? send(result, request, response) : result)));
  }
}

function send({ body, etag }: Tagged<unknown>, request: Request, response: Response): unknown {
  response.setHeader('ETag', etag);
  if (!response.hasHeader('Cache-Control')) response.setHeader('Cache-Control', 'private, no-cache');
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  const known = request.headers['if-none-match'];
  if (!isRead || known === undefined || !namesTag(parseTags(known), etag)) return body;
  response.status(304);
  return undefined;
}
