import type { HttpException } from '@nestjs/common';
import {
  AppError,
  Internal,
  isSystemError,
  MethodNotAllowed,
  NotReady,
  RouteNotFound,
  type ErrorCode,
} from '@passwright/core';
import { isDatabaseUnavailable } from '@passwright/database';
import type { Request } from 'express';
import { allowedMethods } from '../request/route-table.js';

/** A rejection by Nest, Express or one of their middlewares. Its status determines the code. */
class FrameworkRejection extends AppError {
  readonly code: ErrorCode;

  constructor(
    readonly statusCode: number,
    message: string,
  ) {
    super(message);
    this.code = codes[statusCode] ?? 'validation_failed';
  }
}

const codes: Readonly<Record<number, ErrorCode>> = {
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  405: 'method_not_allowed',
  412: 'precondition_failed',
  413: 'payload_too_large',
  415: 'unsupported_media_type',
  429: 'rate_limited',
  431: 'payload_too_large',
};

/**
 * Converts a request's failure to an AppError. An AppError stays as it is, and a rejection by a framework gets the code
 * of its status. Any other error goes through `unexpected`.
 */
export function toAppError(error: unknown, request: Request): AppError {
  if (error instanceof AppError) return error;
  if (isUnrouted(error, request)) return unrouted(request);
  // An app that is closed for maintenance throws a 503 on all routes.
  if (isHttpException(error) && error.getStatus() === 503) return new NotReady(messageOf(error));
  const status = rejectedStatus(error);
  return status === null ? unexpected(error) : new FrameworkRejection(status, messageOf(error as Error));
}

/** Builds the error for an unexpected failure. Its message says only whether to try again. */
export function unexpected(error: unknown): AppError {
  return isDatabaseUnavailable(error) || isSystemError(error)
    ? new NotReady(
        'This node, its disk or its database cannot answer just now. Try again; what you asked for may have been done all the same.',
      )
    : new Internal();
}

/** Returns true for an exception of Nest, even from another copy of `@nestjs/common`. */
function isHttpException(error: unknown): error is HttpException {
  const { getStatus, getResponse } = (error ?? {}) as { getStatus?: unknown; getResponse?: unknown };
  return typeof getStatus === 'function' && typeof getResponse === 'function';
}

/** Returns true for Nest's own 404, which means that the request matched no route. */
function isUnrouted(error: unknown, { method }: Request): boolean {
  return isHttpException(error) && error.getStatus() === 404 && error.message.startsWith(`Cannot ${method} `);
}

function unrouted(request: Request): AppError {
  const path = request.path.slice(0, 200);
  const methods = allowedMethods(request);
  return methods.length > 0
    ? new MethodNotAllowed(request.method, path, methods)
    : new RouteNotFound(`There is no route ${request.method} ${path}; /docs lists all of them.`);
}

/** Returns the status of a 4xx error from Nest or http-errors that is meant for the caller; otherwise null. */
function rejectedStatus(error: unknown): number | null {
  if (isHttpException(error)) return clientError(error.getStatus());
  const { status, expose, name } = (error ?? {}) as { status?: unknown; expose?: unknown; name?: unknown };
  if (name === 'MulterError') return 400;
  return expose === true && typeof status === 'number' ? clientError(status) : null;
}

function clientError(status: number): number | null {
  return status >= 400 && status < 500 ? status : null;
}

function messageOf(error: Error): string {
  const response: unknown = isHttpException(error) ? error.getResponse() : null;
  const details = typeof response === 'object' && response !== null && 'message' in response ? response.message : null;
  return Array.isArray(details) ? details.join('; ') : error.message;
}
