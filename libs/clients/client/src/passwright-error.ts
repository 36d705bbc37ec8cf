import type { ErrorCode } from './generated/errors.js';

/** What the service's answers say, and what there is to say when there is no answer of its own. */
export type PasswrightErrorCode = ErrorCode | 'connection_failed' | 'timed_out' | 'unexpected_answer';

/** What is known of a failure beside its message. */
export interface FailureDetails {
  readonly code: string;
  readonly statusCode?: number;
  readonly requestId?: string | null;
  readonly retryAfterSeconds?: number | null;
  readonly cause?: unknown;
}

/**
 * Whatever a call can fail with, except the caller's own abort. Each code has a class of its own (`PassExists`); a code that
 * is newer than this client comes as this class.
 */
export class PasswrightError extends Error {
  // A service that is newer than the client may have more of them.
  readonly code: PasswrightErrorCode | (string & {});
  /** Of HTTP; 0 when nothing was answered. */
  readonly statusCode: number;
  /** The answer's `X-Request-Id`: quote it to whoever runs the service. */
  readonly requestId: string | null;
  /** How long the service asks to be left alone. */
  readonly retryAfterSeconds: number | null;

  constructor(message: string, details: FailureDetails) {
    super(message, { cause: details.cause });
    this.code = details.code;
    this.statusCode = details.statusCode ?? 0;
    this.requestId = details.requestId ?? null;
    this.retryAfterSeconds = details.retryAfterSeconds ?? null;
    // Not `new.target.name`: bundlers shorten names.
    this.name =
      new.target === PasswrightError
        ? 'PasswrightError'
        : this.code.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
  }
}

/** No answer: the service cannot be reached, or the connection broke. `cause` has what `fetch` said. */
export class ConnectionFailed extends PasswrightError {
  declare readonly code: 'connection_failed';
}

/** No whole answer within `timeoutMs`. */
export class TimedOut extends PasswrightError {
  declare readonly code: 'timed_out';
}

/** An answer that is none of the service's: of a proxy before it, or of something else at this address. */
export class UnexpectedAnswer extends PasswrightError {
  declare readonly code: 'unexpected_answer';
}
