import type { LoggerService } from '@nestjs/common';
import { type AuthenticatedRequest, loggedError, onClosed } from '@passwright/core';
import type { Request, RequestHandler } from 'express';
import { type DestinationStream, pino, type Level, type LevelWithSilent, type Logger } from 'pino';
import type { RequestMetrics } from './metrics/request-metrics.js';

type LoggedRequest = Request & AuthenticatedRequest & { readonly id?: string };

/** Writes JSON lines from this level on, by default to the standard output. */
export function createLogger(level: LevelWithSilent, destination: DestinationStream = pino.destination(1)): Logger {
  // What is logged of an error is decided where it is logged.
  return pino({ level, serializers: { err: (error: unknown) => error } }, destination);
}

/**
 * A line for each request when its answer has ended: its id, method, route pattern (never the URL: serial numbers and
 * device ids are in it), status and duration. No header and no body, so no token, key or e-mail address. Health checks
 * are left out. `metrics` are told of every request.
 */
export function requestLog(logger: Logger, metrics: RequestMetrics): RequestHandler {
  return (request: LoggedRequest, response, next) => {
    const begun = performance.now();
    metrics.begun();
    onClosed(response, () => {
      const durationMs = performance.now() - begun;
      const { method } = request;
      const { statusCode: status, writableFinished } = response;
      const route = (request.route as { path?: string } | undefined)?.path ?? 'none';
      // What nobody has been answered has no status.
      const told = response.headersSent ? status : 499;
      metrics.ended({ method, route, status: told, durationMs, aborted: !writableFinished });
      if (request.originalUrl.startsWith('/health/')) return;
      logger[status >= 500 ? 'error' : 'info'](
        {
          requestId: request.id,
          method,
          route,
          status,
          durationMs: Math.round(durationMs),
          accountId: request.principal?.accountId,
          // The client went away before it had all.
          ...(!writableFinished && { aborted: true }),
        },
        'request',
      );
    });
    next();
  };
}

/** Where Nest names each thing that it wires, in a hundred lines at each start, and faults that are thrown as well. */
const wiring = new Set<unknown>([
  'NestFactory',
  'InstanceLoader',
  'RoutesResolver',
  'RouterExplorer',
  'NestApplication',
]);

/** What Nest and the libs log, in the same lines. Nest gives the context, and for errors a stack, after the message. */
export class JsonLogger implements LoggerService {
  constructor(private readonly logger: Logger) {}

  log(message: unknown, ...rest: unknown[]): void {
    this.write('info', message, rest);
  }

  warn(message: unknown, ...rest: unknown[]): void {
    this.write('warn', message, rest);
  }

  error(message: unknown, ...rest: unknown[]): void {
    this.write('error', message, rest);
  }

  fatal(message: unknown, ...rest: unknown[]): void {
    this.write('fatal', message, rest);
  }

  private write(level: Level, message: unknown, rest: unknown[]): void {
    const context = rest.pop();
    if (wiring.has(context)) return;
    const [stack] = rest;
    const line = { context, ...(typeof stack === 'string' && { stack }) };
    // An error of the database carries the values of its query, which may be a person's.
    if (message instanceof Error) this.logger[level]({ ...line, err: loggedError(message) });
    else if (typeof message === 'object') this.logger[level]({ ...line, ...message });
    else this.logger[level](line, typeof message === 'string' ? message : JSON.stringify(message));
  }
}
