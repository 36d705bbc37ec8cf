import { QueryFailedError } from 'typeorm';

/** A failure as it is logged. */
export interface LoggedError {
  readonly type: string;
  readonly message?: string;
  readonly sqlState?: string;
  readonly table?: string;
  readonly constraint?: string;
  readonly stack?: string;
}

/** What Postgres says of a refusal: https://www.postgresql.org/docs/current/protocol-error-fields.html */
interface Refusal {
  readonly code: string;
  readonly table?: string;
  readonly constraint?: string;
}

/**
 * Tells a failure without its own properties, and what the server of the database refused without its message: both carry
 * the values of the query, which may be a person's.
 */
export function loggedError(thrown: unknown): LoggedError {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  const type = error.constructor.name;
  const cause: unknown = error instanceof QueryFailedError ? error.driverError : error;
  if (!isRefusal(cause)) return { type, message: messageOf(error), stack: error.stack };
  return { type, sqlState: cause.code, table: cause.table, constraint: cause.constraint, stack: frames(error) };
}

/** An error of ours names its cause, which callers do not see. */
function messageOf({ message, cause }: Error): string {
  return cause instanceof Error && !isRefusal(cause) ? `${message} Cause: ${cause.message}` : message;
}

/** Only the server's errors have a severity; those of the connection quote no values. */
function isRefusal(cause: unknown): cause is Refusal {
  const { code, severity } = (cause ?? {}) as { code?: unknown; severity?: unknown };
  return typeof code === 'string' && typeof severity === 'string';
}

/** The stack without the message that it begins with. */
function frames({ message, stack = '' }: Error): string {
  const start = stack.indexOf(message);
  return start < 0 ? '' : stack.slice(start + message.length);
}
