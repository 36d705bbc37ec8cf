import type { ServerResponse } from 'node:http';
import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { AppError } from '@passwright/core';
import { rejectionPage } from '@passwright/wallet-renderers';
import { catchError, type Observable, of } from 'rxjs';
import { pageHeaders, readerOfRequest } from './page-response.js';

interface PageRequest {
  readonly headers: Record<string, string | undefined>;
  readonly query: Record<string, unknown>;
}

/**
 * Renders the errors of a route as a page for browsers, with the status of the error. Programs get the usual error body.
 * Errors other than `AppError` go on to the filter.
 */
@Injectable()
export class PageErrorsInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<PageRequest & Parameters<typeof readerOfRequest>[0]>();
    const response = context.switchToHttp().getResponse<ServerResponse>();
    return next.handle().pipe(
      catchError((error: unknown) => {
        response.setHeader('Vary', 'Accept, Accept-Language, User-Agent');
        if (!(error instanceof AppError) || !request.headers.accept?.includes('text/html')) throw error;
        const reader = readerOfRequest(request, request.query.lang);
        const page = rejectionPage(rejectionOf(error.statusCode), reader);
        response.statusCode = error.statusCode;
        response.setHeaders(pageHeaders(page, false));
        response.setHeader('Cache-Control', 'no-store');
        response.setHeader('Content-Language', reader.language);
        return of(page.html);
      }),
    );
  }
}

function rejectionOf(status: number): Parameters<typeof rejectionPage>[0] {
  if (status === 410) return 'deleted';
  return status < 500 ? 'notFound' : 'error';
}
