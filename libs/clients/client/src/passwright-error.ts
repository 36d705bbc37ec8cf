import type { ErrorCode } from './generated/error-codes.js';

/** The codes of the service, and the client's own codes for calls without a response. */
export type PasswrightErrorCode = ErrorCode | 'connection_failed' | 'timed_out' | 'unexpected_response';

/** The details of a failure, in addition to its message. */
export interface FailureDetails {
  readonly code: string;
  readonly statusCode?: number;
  readonly requestId?: string | null;
  readonly retryAfterSeconds?: number | null;
  readonly docUrl?: string | null;
  readonly cause?: unknown;
}

/**
 * The base class of all errors that a call throws, except the reason of an abort signal. Each code has its own
 * subclass, for example `PassExists`. An unknown code gives an instance of this class.
 */
export class PasswrightError extends Error {
  // A newer service may have more codes.
  readonly code: PasswrightErrorCode | (string & {});
  /** The HTTP status; 0 if there was no response. */
  readonly statusCode: number;
  /** The response's `X-Request-Id`. Quote it when you report the error. */
  readonly requestId: string | null;
  /** The pause that the service asks for, in seconds; null if none. */
  readonly retryAfterSeconds: number | null;
  /** The page with the cause and fix of the error; null if the response names no page. */
  readonly docUrl: string | null;

  constructor(message: string, details: FailureDetails) {
    super(message, { cause: details.cause });
    this.code = details.code;
    this.statusCode = details.statusCode ?? 0;
    this.requestId = details.requestId ?? null;
    this.retryAfterSeconds = details.retryAfterSeconds ?? null;
    this.docUrl = details.docUrl ?? null;
    // Do not use `new.target.name`, because bundlers shorten names.
    this.name = details.code.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
  }
}

/** The service is unreachable or the connection broke. `cause` is the error of `fetch`. */
export class ConnectionFailed extends PasswrightError {
  declare readonly code: 'connection_failed';
}

/** There was no complete response within `timeoutMs`. */
export class TimedOut extends PasswrightError {
  declare readonly code: 'timed_out';
}

/** The response is not from the service, but from a proxy or another server at this address. */
export class UnexpectedResponse extends PasswrightError {
  declare readonly code: 'unexpected_response';
}
