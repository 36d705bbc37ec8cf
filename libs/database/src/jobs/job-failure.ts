/** What Postgres says of a refusal: https://www.postgresql.org/docs/current/protocol-error-fields.html */
interface Refusal {
  readonly code: string;
  readonly constraint?: string;
}

/**
 * A failure as it is logged: what the server of the database refused is told without its message, which may carry the
 * values of the query.
 */
export function toldFailure(thrown: unknown): { readonly message: string; readonly stack: string } {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  const { message, stack = '' } = error;
  const cause: unknown = (error as { driverError?: unknown }).driverError ?? error;
  const start = stack.indexOf(message);
  const frames = start < 0 ? '' : stack.slice(start + message.length).trimStart();
  const name = error.constructor.name;
  const because = error.cause instanceof Error && !isRefusal(error.cause) ? ` Cause: ${error.cause.message}` : '';
  if (!isRefusal(cause)) return { message: `${name}: ${message}${because}`, stack: frames };
  const { code, constraint } = cause;
  return { message: `${name} ${code}${constraint ? ` of ${constraint}` : ''}`, stack: frames };
}

/** Only the server's errors have a severity; those of the connection quote no values. */
function isRefusal(cause: unknown): cause is Refusal {
  const { code, severity } = (cause ?? {}) as { code?: unknown; severity?: unknown };
  return typeof code === 'string' && typeof severity === 'string';
}
