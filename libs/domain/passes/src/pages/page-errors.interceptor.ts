import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { AppError } from '@passwright/core';
import type { Response } from 'express';
import { catchError, type Observable, of } from 'rxjs';
import { type PageRequest, rejectionHtml } from './page-response.js';
import { prefersPage } from './prefers-page.js';

/**
 * Renders the errors of a route as a page for browsers, with the status and the headers of the error. Programs get the
 * usual error body. Errors other than `AppError`, and those with a cause, go on to the filter, which logs them. The
 * request log reads the error from `response.locals.failure`.
 */
@Injectable()
export class PageErrorsInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<PageRequest>();
    const response = context.switchToHttp().getResponse<Response>();
    return next.handle().pipe(
      catchError((error: unknown) => {
        response.setHeader('Vary', 'Accept, Accept-Language, User-Agent');
        if (!(error instanceof AppError) || error.cause !== undefined || !prefersPage(request)) throw error;
        response.locals.failure = error;
        response.status(error.statusCode).set(error.headers);
        return of(rejectionHtml(error, request, response));
      }),
    );
  }
}
