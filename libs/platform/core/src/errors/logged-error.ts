/** An error as it is logged. */
export interface LoggedError {
  readonly type: string;
  readonly message: string;
  readonly sqlState?: string;
  readonly table?: string;
  readonly constraint?: string;
  readonly stack?: string;
}

/** An error response of Postgres: https://www.postgresql.org/docs/current/protocol-error-fields.html */
interface Refusal {
  readonly code: string;
  readonly severity: string;
  readonly table?: string;
  readonly constraint?: string;
}

const MOST_CAUSES = 4;

/**
 * Returns what a log may say of any error that was thrown. Leaves out the error's own properties, and the message of an
 * error response of Postgres: both carry the values of the query, which may be a person's.
 */
export function loggedError(thrown: unknown): LoggedError {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  const type = error.constructor.name;
  const refusal = refusalIn(error);
  if (!refusal) return { type, message: messageOf(error), stack: error.stack };
  const { code, table, constraint } = refusal;
  const place = constraint ?? table;
  const message = `SQLSTATE ${code}${place ? ` of ${place}` : ''}`;
  return { type, message, sqlState: code, table, constraint, stack: frames(error) };
}

/** An error of ours names its cause, which callers do not see; an error of a connection may have a code alone. */
function messageOf(error: Error, depth = 0): string {
  const { message, cause } = error;
  const said = message || ((error as NodeJS.ErrnoException).code ?? '');
  if (!(cause instanceof Error) || refusalIn(cause) || depth === MOST_CAUSES) return said;
  return `${said} Cause: ${messageOf(cause, depth + 1)}`;
}

/** Only the server's errors have a severity; those of the connection quote no values. TypeORM keeps the driver's error. */
function refusalIn(error: Error): Refusal | null {
  const refusal = ((error as { driverError?: unknown }).driverError ?? error) as Partial<Refusal>;
  return typeof refusal.code === 'string' && typeof refusal.severity === 'string' ? (refusal as Refusal) : null;
}

/** The stack without the message that it begins with. */
function frames({ message, stack = '' }: Error): string {
  const start = stack.indexOf(message);
  return start < 0 ? '' : stack.slice(start + message.length);
}
