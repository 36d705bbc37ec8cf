import type { ServerResponse } from 'node:http';
import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { AppError } from '@passwright/core';
import { catchError, type Observable, of } from 'rxjs';
import { type PageRequest, rejectionHtml } from './page-response.js';

/**
 * Renders the errors of a route as a page for browsers, with the status of the error. Programs get the usual error body.
 * Errors other than `AppError` go on to the filter.
 */
@Injectable()
export class PageErrorsInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<PageRequest>();
    const response = context.switchToHttp().getResponse<ServerResponse>();
    return next.handle().pipe(
      catchError((error: unknown) => {
        response.setHeader('Vary', 'Accept, Accept-Language, User-Agent');
        if (!(error instanceof AppError) || !request.headers.accept?.includes('text/html')) throw error;
        response.statusCode = error.statusCode;
        return of(rejectionHtml(error, request, response));
      }),
    );
  }
}
