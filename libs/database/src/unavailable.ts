import { QueryFailedError, QueryRunnerAlreadyReleasedError } from 'typeorm';

/** Postgres stops or starts, has no connection left, or has lost this one: https://www.postgresql.org/docs/current/errcodes-appendix.html */
const sqlStates = /^(57P0[1235]|53300|08(?!P01)...)$/;
/** What the operating system says of a connection. */
const connectionCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
]);
/** What `pg` and its pool say, without a code: no connection came free in time, or the one in use has ended. */
const messages =
  /^(timeout exceeded when trying to connect|Connection terminated|Client (has encountered a connection error|was closed) and is not queryable)/;

/** Whether something failed because the database cannot be reached, or has no connection to spare, at this moment. */
export function isDatabaseUnavailable(error: unknown): boolean {
  const cause: unknown = error instanceof QueryFailedError ? error.driverError : error;
  // Of each address that a name has.
  if (cause instanceof AggregateError) return cause.errors.length > 0 && cause.errors.every(isDatabaseUnavailable);
  // TypeORM gives a connection up that ends between two statements: the next one finds it given up.
  if (cause instanceof QueryRunnerAlreadyReleasedError) return true;
  if (!(cause instanceof Error)) return false;
  const { code } = cause as NodeJS.ErrnoException;
  return (code !== undefined && (sqlStates.test(code) || connectionCodes.has(code))) || messages.test(cause.message);
}
