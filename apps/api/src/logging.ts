import type { IncomingMessage, ServerResponse } from 'node:http';
import { LoggerModule } from 'nestjs-pino';
import type { LevelWithSilent } from 'pino';
import type { AuthenticatedRequest } from '@passwright/core';

type LoggedRequest = IncomingMessage & AuthenticatedRequest & { id: string; route?: { path?: string } };

/**
 * JSON lines: one per request with its id, route pattern (never the URL: serial numbers and device ids are in it), status
 * and duration. No header and no body is logged, so no token, key or e-mail address can be.
 */
export function loggerModule(level: LevelWithSilent) {
  return LoggerModule.forRoot({
    pinoHttp: {
      level,
      genReqId: (request) => (request as LoggedRequest).id,
      serializers: { req: () => undefined, res: () => undefined },
      quietReqLogger: true,
      customAttributeKeys: { reqId: 'requestId', responseTime: 'durationMs' },
      customLogLevel: (_request, response, error) => (error || response.statusCode >= 500 ? 'error' : 'info'),
      customSuccessMessage: () => 'request',
      customErrorMessage: () => 'request failed',
      customSuccessObject: (request, response, line: object) => requestLine(request as LoggedRequest, response, line),
      customErrorObject: (request, response, _error, line: object) =>
        requestLine(request as LoggedRequest, response, line),
      autoLogging: { ignore: (request) => request.url?.startsWith('/health/') ?? false },
    },
  });
}

function requestLine(request: LoggedRequest, response: ServerResponse, line: object): object {
  return {
    ...line,
    method: request.method,
    route: request.route?.path ?? 'none',
    status: response.statusCode,
    accountId: request.principal?.accountId,
  };
}
