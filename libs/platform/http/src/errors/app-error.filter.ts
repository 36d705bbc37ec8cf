import { Catch, Logger, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { AppError, errorBody, loggedError } from '@passwright/core';
import type { Request, Response } from 'express';
import { requestId } from '../request/request-id.js';
import { toAppError } from './framework-errors.js';

/** Headers that describe the answer a handler was about to give, not the failure that took its place. */
const descriptions = [
  'Cache-Control',
  'Content-Disposition',
  'Content-Encoding',
  'Content-Language',
  'Content-Length',
  'Content-Type',
  'ETag',
  'Expires',
  'Last-Modified',
  'Location',
];

/** Takes back what a handler that failed has already said about its answer. */
export function forgetDescription(response: Response): void {
  for (const name of descriptions) response.removeHeader(name);
}

/**
 * The one writer of the error body, for whatever fails: handlers, pipes, guards, middleware and unknown routes. What is no
 * AppError and no refusal of the framework is logged with the request id, and told as `internal` or `not_ready`. So is the
 * cause of an AppError. An answer that has begun is cut off, so that no client takes half of it for the whole.
 */
@Catch()
export class AppErrorFilter implements ExceptionFilter {
  private readonly logger = new Logger('Http');

  catch(error: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<Request>();
    const response = host.switchToHttp().getResponse<Response>();
    const failure = toAppError(error, request);
    if (failure.statusCode >= 500 && isUnexplained(error)) this.log(error, request, response);
    if (response.headersSent) {
      if (!response.writableFinished) response.destroy();
      return;
    }
    answer(response, failure);
  }

  private log(error: unknown, request: Request, response: Response): void {
    const route = (request.route as { path?: string } | undefined)?.path ?? 'none';
    this.logger.error({
      requestId: requestId(request, response),
      method: request.method,
      route,
      err: loggedError(error),
    });
  }
}

/** An AppError explains itself to its caller, unless it hides a cause. */
function isUnexplained(error: unknown): boolean {
  return !(error instanceof AppError) || error.cause !== undefined;
}

function answer(response: Response, failure: AppError): void {
  forgetDescription(response);
  response
    .status(failure.statusCode)
    .set({ 'Cache-Control': 'no-store', ...failure.headers })
    .json(errorBody(failure));
}
