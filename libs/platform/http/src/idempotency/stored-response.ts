import { errorBody, type AppError, type ErrorBody } from '@passwright/core';
import type { Request, Response } from 'express';
import { forgetDescription } from '../errors/app-error.filter.js';
import { linkToHelp } from '../errors/error-help.js';
import { toAppError } from '../errors/framework-errors.js';
import type { StoredResponse } from './idempotency.repository.js';

const JSON_TYPE = 'application/json; charset=utf-8';

/** The headers that are stored with a response. Each repeated request sets all others anew. */
const storedNames = new Set(['etag', 'location', 'content-type', 'cache-control']);
const OWN_PREFIX = 'passwright-';

/** The 4xx statuses that depend on more than the request. They are not stored, because a retry may succeed. */
const passing = new Set([401, 408, 412, 429]);

/** Captures a handler's result as a response that can be sent now and replayed later. */
export function storedResult(result: unknown, response: Response): StoredResponse {
  const headers = storedHeaders(response);
  const { statusCode } = response;
  if (result === undefined || result === null) return { statusCode, headers, body: null };
  if (typeof result === 'string')
    return { statusCode, headers: { 'content-type': 'text/html; charset=utf-8', ...headers }, body: result };
  return { statusCode, headers: { ...headers, 'content-type': JSON_TYPE }, body: JSON.stringify(result) };
}

/** Returns the failure that is stored as the response; null if a retry may run from the beginning. */
export function failureToStore(error: unknown, request: Request): AppError | null {
  const failure = toAppError(error, request);
  return failure.statusCode < 500 && !passing.has(failure.statusCode) ? failure : null;
}

/**
 * Captures a failure as a response that can be sent now and replayed later.
 * @param helpUrl the page that explains error codes
 */
export function storedFailure(failure: AppError, response: Response, helpUrl?: string): StoredResponse {
  forgetDescription(response);
  const headers = { ...failure.headers, 'cache-control': 'no-store', 'content-type': JSON_TYPE };
  return { statusCode: failure.statusCode, headers, body: JSON.stringify(errorBody(failure, helpUrl)) };
}

/**
 * Sends the status and headers of a stored response.
 * @param helpUrl the page that explains error codes
 * @returns the body, which Nest writes
 */
export function sendStored(
  { statusCode, headers, body }: StoredResponse,
  response: Response,
  helpUrl?: string,
): string | undefined {
  response.status(statusCode).set(headers);
  if (statusCode >= 400 && body) linkToHelp(response, (JSON.parse(body) as ErrorBody).code, helpUrl);
  return body ?? undefined;
}

/** Removes everything that a handler set on its response, because an earlier response replaces it. */
export function forgetResponse(response: Response): void {
  forgetDescription(response);
  for (const name of Object.keys(storedHeaders(response))) response.removeHeader(name);
}

function storedHeaders(response: Response): Record<string, string> {
  const all = Object.entries(response.getHeaders());
  const stored = all.filter(([name]) => storedNames.has(name) || name.startsWith(OWN_PREFIX));
  return Object.fromEntries(stored.map(([name, value]) => [name, String(value)]));
}
