import { format } from 'node:util';
import type { LoggerService } from '@nestjs/common';
import { type AppError, type AuthenticatedRequest, loggedError, onClosed } from '@passwright/core';
import type { Request, RequestHandler, Response } from 'express';
import { type DestinationStream, pino, type Level, type LevelWithSilent, type Logger } from 'pino';
import { LogOutput, standardOutput } from './log-output.js';
import type { RequestMetrics } from './metrics/request-metrics.js';
import { terminalOf } from './terminal.js';
import { textLog } from './text-log.js';

type LoggedRequest = Request & AuthenticatedRequest & { readonly id?: string; readonly traceId?: string };

/** The part of the configuration that says what is logged. */
export interface LogOptions {
  readonly logLevel: LevelWithSilent;
  /** Null means text at a terminal, and JSON elsewhere. */
  readonly logFormat: 'json' | 'text' | null;
}

/** Returns true if the log is for a person at a terminal. */
export function logsText({ logFormat }: LogOptions): boolean {
  return logFormat === null ? terminalOf(process.stdout) !== null : logFormat === 'text';
}

/** Creates a logger that writes a line for each message of at least `logLevel`, by default to the standard output. */
export function createLogger(options: LogOptions, destination: DestinationStream = standardOutput()): Logger {
  const output = logsText(options) ? textLog(destination, terminalOf(process.stdout)?.hasColors ?? false) : destination;
  // Log errors unchanged, because each caller decides what to log of an error.
  const logger = pino({ level: options.logLevel, serializers: { err: (error: unknown) => error } }, output);
  if (destination instanceof LogOutput) {
    destination.onDropped = (lines) => logger.warn(`The output of the log accepted no lines; ${lines} are lost`);
  }
  return logger;
}

const consoleLevels = {
  debug: 'debug',
  log: 'info',
  info: 'info',
  warn: 'warn',
  error: 'error',
  trace: 'error',
} as const;

/**
 * Writes to the log what libraries print to the console, so that each line of the output has the format of the log.
 * Removes the values of queries from database errors, also from errors directly inside objects and lists.
 */
export function logConsole(logger: Logger, target: Pick<Console, keyof typeof consoleLevels> = console): void {
  for (const [method, level] of Object.entries(consoleLevels) as [keyof typeof consoleLevels, Level][]) {
    const write = (...parts: unknown[]) => {
      const text = format(...parts.map(withoutErrors));
      const [first, ...others] = parts.flatMap(errorsIn).map(loggedError);
      // Captures the stack as Node.js does, without this function.
      const trace = { name: 'Trace', message: text, stack: '' };
      if (method === 'trace') Error.captureStackTrace(trace, write);
      const { stack } = trace;
      logger[level](
        {
          context: 'Console',
          ...(method === 'trace' && { stack }),
          ...(first && { err: first }),
          ...(others.length > 0 && { moreErrors: others }),
        },
        text,
      );
    };
    target[method] = write;
  }
}

/** Returns an error, or the errors directly inside a plain object or a list. Calls no getters. */
function errorsIn(part: unknown): Error[] {
  if (part instanceof Error) return [part];
  if (!Array.isArray(part) && !isPlainObject(part)) return [];
  const properties = Object.values(Object.getOwnPropertyDescriptors(part));
  return properties.map(({ value }): unknown => value).filter((value) => value instanceof Error);
}

/** Replaces an error, or the errors directly inside a plain object or a list, by their messages. */
function withoutErrors(part: unknown): unknown {
  if (part instanceof Error) return loggedError(part).message;
  if (errorsIn(part).length === 0) return part;
  const messageOf = (value: unknown) => (value instanceof Error ? loggedError(value).message : value);
  if (Array.isArray(part)) return part.map(messageOf);
  return Object.fromEntries(Object.entries(part as object).map(([name, value]) => [name, messageOf(value)]));
}

function isPlainObject(part: unknown): part is object {
  if (typeof part !== 'object' || part === null) return false;
  const prototype: unknown = Object.getPrototypeOf(part);
  return prototype === Object.prototype || prototype === null;
}

/**
 * Logs a line for each request when its response has ended: id, method, route pattern, status and duration. Never logs
 * URLs, headers or bodies, because they contain serial numbers, tokens and e-mail addresses. Omits health checks.
 * `metrics` counts every request.
 * @param isForPerson also logs the path, and the reason of an error
 */
export function requestLog(logger: Logger, metrics: RequestMetrics, isForPerson = false): RequestHandler {
  return (request: LoggedRequest, response, next) => {
    const begun = performance.now();
    metrics.begun();
    onClosed(response, () => {
      const durationMs = performance.now() - begun;
      const { method } = request;
      const { statusCode: status, writableFinished } = response;
      const route = (request.route as { path?: string } | undefined)?.path ?? 'none';
      // Report the status 499 for a request that got no response.
      const reported = response.headersSent ? status : 499;
      metrics.ended({ method, route, status: reported, durationMs, aborted: !writableFinished });
      if (request.originalUrl.startsWith('/health/')) return;
      logger[status >= 500 ? 'error' : 'info'](
        {
          requestId: request.id,
          method,
          route,
          status,
          durationMs: Math.round(durationMs),
          accountId: request.principal?.accountId,
          ...failureOf(response, isForPerson),
          ...(isForPerson && { path: pathOf(request, route) }),
          ...(request.traceId !== undefined && { traceId: request.traceId }),
          // The client disconnected before the end of the response.
          ...(!writableFinished && { aborted: true }),
        },
        'request',
      );
    });
    next();
  };
}

/** Returns the path without its query, or the route pattern of a path that contains a one-time code. */
function pathOf({ originalUrl }: Request, route: string): string | undefined {
  return route.includes(':code') ? route : originalUrl.split('?', 1)[0];
}

/** Returns the code of the error that the error filter has sent. Adds its message if the log is for a person. */
function failureOf({ locals }: Response, isForPerson: boolean): { code?: string; reason?: string } {
  const { failure } = (locals ?? {}) as { failure?: AppError };
  if (!failure) return {};
  return { code: failure.code, ...(isForPerson && { reason: failure.message }) };
}

/**
 * The Nest contexts that log a hundred lines at each start. These messages are not logged; Nest also throws their
 * errors.
 */
const wiring = new Set<unknown>([
  'NestFactory',
  'InstanceLoader',
  'RoutesResolver',
  'RouterExplorer',
  'NestApplication',
]);

/**
 * Writes the messages of Nest and the libs as JSON lines. Nest passes the context after the message, and for errors
 * also a stack.
 */
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
    // Remove the values of the query from a database error, because they may be personal data.
    if (message instanceof Error) this.logger[level]({ ...line, err: loggedError(message) });
    else if (typeof message === 'object') this.logger[level]({ ...line, ...message });
    else this.logger[level](line, typeof message === 'string' ? message : JSON.stringify(message));
  }
}
