import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError } from '@passwright/core';
import type { Response } from 'express';
import { type PageRequest, rejectionHtml } from './page-response.js';
import { prefersPage } from './prefers-page.js';

/**
 * Runs the work of an Express route. Browsers get an error as a page, with the status and the headers of the error;
 * programs get the usual error body. Leaves unexpected errors and errors with a cause to the exception filter, which
 * logs them. The request log reads the error from `response.locals.failure`. This is not an interceptor, because Nest
 * would then wrap every response of the route in observables.
 */
export async function withErrorPage<T>(
  request: IncomingMessage,
  response: ServerResponse,
  work: () => Promise<T>,
): Promise<T | string> {
  try {
    return await work();
  } catch (error) {
    response.setHeader('Vary', 'Accept, Accept-Language, User-Agent');
    if (!(error instanceof AppError) || error.cause !== undefined || !prefersPage(request)) throw error;
    const sent = response as Response;
    sent.locals.failure = error;
    sent.status(error.statusCode).set(error.headers);
    return rejectionHtml(error, request as PageRequest, sent);
  }
}
