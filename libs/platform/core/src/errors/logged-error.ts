/** The logged form of an error. */
export interface LoggedError {
  readonly type: string;
  readonly message: string;
  readonly sqlState?: string;
  readonly table?: string;
  readonly constraint?: string;
  readonly stack?: string;
}

/** An error response of Postgres: https://www.postgresql.org/docs/current/protocol-error-fields.html */
interface Rejection {
  readonly code: string;
  readonly severity: string;
  readonly table?: string;
  readonly constraint?: string;
}

const MOST_CAUSES = 4;

/**
 * Returns the loggable part of any thrown value. Omits the error's own properties and the message of a Postgres error
 * response, because both contain query values, which may be personal data.
 */
export function loggedError(thrown: unknown): LoggedError {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  const type = error.constructor.name;
  const rejection = rejectionIn(error);
  if (!rejection) return { type, message: messageOf(error), stack: error.stack };
  const { code, table, constraint } = rejection;
  const place = constraint ?? table;
  const message = `SQLSTATE ${code}${place ? ` of ${place}` : ''}`;
  return { type, message, sqlState: code, table, constraint, stack: frames(error) };
}

/**
 * Returns the message of an error and the messages of its causes. A connection error may have a code but no message.
 */
function messageOf(error: Error, depth = 0): string {
  const { message, cause } = error;
  const said = message || ((error as NodeJS.ErrnoException).code ?? '');
  if (!(cause instanceof Error) || rejectionIn(cause) || depth === MOST_CAUSES) return said;
  return `${said} Cause: ${messageOf(cause, depth + 1)}`;
}

/**
 * Returns the Postgres error response in an error: the error itself, or the error that TypeORM wrapped. Otherwise returns
 * null. Only an error response has a severity.
 */
function rejectionIn(error: Error): Rejection | null {
  const rejection = ((error as { driverError?: unknown }).driverError ?? error) as Partial<Rejection>;
  return typeof rejection.code === 'string' && typeof rejection.severity === 'string' ? (rejection as Rejection) : null;
}

/** Returns the stack without the message at its start. */
function frames({ message, stack = '' }: Error): string {
  const start = stack.indexOf(message);
  return start < 0 ? '' : stack.slice(start + message.length);
}
