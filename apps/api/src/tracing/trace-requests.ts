import { context, propagation, ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { type AuthenticatedRequest, onClosed } from '@passwright/core';
import type { NextFunction, Request, Response } from 'express';

type TracedRequest = Request & AuthenticatedRequest & { traceId?: string };

const spans = new WeakMap<Request, Span>();

/**
 * Begins a span for each request except probes and scrapes. Runs before all other handlers, so that rejected requests
 * have a span too. The span ends with the response. A span contains the method, the route pattern and the status, but
 * never the URL, headers or the body.
 */
export function traceRequests(request: TracedRequest, response: Response, next: NextFunction): void {
  if (/^\/(health\/|metrics)/.test(request.originalUrl)) return next();
  const { method } = request;
  const span = trace
    .getTracer('passwright')
    .startSpan(method, { kind: SpanKind.SERVER, attributes: { 'http.request.method': method } }, callerOf(request));
  spans.set(request, span);
  request.traceId = span.spanContext().traceId;
  onClosed(response, () => end(span, request, response));
  next();
}

/**
 * Makes the request's own span current for all later handlers. Runs after the concurrency limiter, where a waiting
 * request gets the context of another request.
 */
export function enterTrace(request: Request, _response: Response, next: NextFunction): void {
  const span = spans.get(request);
  if (span) context.with(trace.setSpan(context.active(), span), next);
  else next();
}

/**
 * Returns the trace that a request continues. Only a request with a bearer token can continue a trace. `RequestSampler`
 * decides whether the request is recorded.
 */
function callerOf({ headers }: Request) {
  return headers.authorization?.startsWith('Bearer ')
    ? propagation.extract(ROOT_CONTEXT, { traceparent: headers.traceparent })
    : ROOT_CONTEXT;
}

function end(span: Span, request: TracedRequest, { statusCode, headersSent, writableFinished }: Response): void {
  const route = (request.route as { path?: string } | undefined)?.path;
  if (route !== undefined) span.updateName(`${request.method} ${route}`).setAttribute('http.route', route);
  if (request.principal) span.setAttribute('passwright.account', request.principal.accountId);
  if (headersSent) span.setAttribute('http.response.status_code', statusCode);
  if (headersSent && statusCode >= 500) {
    span.setAttribute('error.type', String(statusCode)).setStatus({ code: SpanStatusCode.ERROR });
  } else if (!writableFinished) span.setAttribute('error.type', 'client_disconnected');
  span.end();
}
