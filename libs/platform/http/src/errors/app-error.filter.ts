import { Catch, Logger, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { AppError, errorBody, loggedError } from '@passwright/core';
import type { Request, Response } from 'express';
import { requestId } from '../request/request-id.js';
import { linkToHelp } from './error-help.js';
import { toAppError } from './framework-errors.js';

/** Headers that describe the intended response and would be wrong on an error. */
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

/** Removes the headers that a failed handler set for its intended response. */
export function forgetDescription(response: Response): void {
  for (const name of descriptions) response.removeHeader(name);
}

/**
 * Writes the error body for every failure: of handlers, pipes, guards, middleware and unknown routes. Logs unexpected
 * errors with the request id, and reports them as `internal` or `not_ready`. Logs the hidden cause of an AppError. Cuts
 * off a response that has begun, so that no client mistakes it for a complete one. A request log can read the AppError
 * from `response.locals.failure`.
 */
@Catch()
export class AppErrorFilter implements ExceptionFilter {
  private readonly logger = new Logger('Http');

  /** @param helpUrl the page to which each error links; see `HttpOptions.errorHelpUrl` */
  constructor(private readonly helpUrl?: string) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<Request>();
    const response = host.switchToHttp().getResponse<Response>();
    const failure = toAppError(error, request);
    response.locals.failure = failure;
    if (failure.statusCode >= 500 && isUnexplained(error)) this.log(error, request, response);
    if (response.headersSent) {
      if (!response.writableFinished) response.destroy();
      return;
    }
    forgetDescription(response);
    response.status(failure.statusCode).set({ 'Cache-Control': 'no-store', ...failure.headers });
    linkToHelp(response, failure.code, this.helpUrl);
    this.send(failure, request, response);
  }

  /**
   * Sends the error body. Status and headers are already set. An app can override this method to show browsers a page.
   */
  protected send(failure: AppError, _request: Request, response: Response): void {
    response.json(errorBody(failure, this.helpUrl));
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

/**
 * Returns true if the log must explain an error. False for an AppError without a hidden cause, because its message
 * explains it.
 */
function isUnexplained(error: unknown): boolean {
  return !(error instanceof AppError) || error.cause !== undefined;
}
