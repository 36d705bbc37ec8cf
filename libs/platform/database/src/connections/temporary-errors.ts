import { DatabaseError } from 'pg';
import { QueryFailedError, QueryRunnerAlreadyReleasedError, QueryRunnerProviderAlreadyReleasedError } from 'typeorm';

/**
 * The SQL states of temporary errors: https://www.postgresql.org/docs/current/errcodes-appendix.html
 *
 * - 08: the connection is lost. 53: disk, memory or connections are used up. 58: the system failed, for example with an
 * I/O error.
 * - 57P0: Postgres stops or starts. 57014 and 55P03: a statement or a lock took too long. 25006: the server is
 * read-only. 25P03 and 25P04: Postgres ended a transaction because this process paused for too long in it.
 * - 40001 and 40P01: transactions conflicted more often than `Database.transaction` repeats them.
 */
const sqlStates = /^(08(?!P01)...|25006|25P0[34]|40001|40P01|53...|55P03|57014|57P0.|58...)$/;
/**
 * The functions of Postgres that report that the database has no transaction ids left until it is vacuumed. Other
 * limits have the same SQL state, 54000.
 */
const idRoutines = /^GetNew(TransactionId|MultiXactId)$/;
/** PgBouncer's rejection of a statement's name. It does not send that statement or later ones. */
const rejectedName = '^prepared statement (name is already in use|did not exist)';
/** Messages of PgBouncer, which reports all its errors as 08P01, like a protocol error of the client. */
const poolerMessages = new RegExp(
  [
    '^(cannot connect|connect failed|server (login|conn |connection |disconnected|DNS lookup)|the database system is)',
    // Errors caused by actions of the operator.
    '^(database (removed|configuration changed)|connect string changed|obsolete connection|admin forced disconnect|pause mode)',
    // Errors caused by limits of the pooler.
    '^(query|query_wait|client_login|client_idle|suspend)_timeout',
    '^(query|connect|transaction|idle transaction|server idle) timeout|^server lifetime over|^evicted',
    '^(no more connections allowed|client connections exceeded|out of memory|bouncer resources exhaustion|pgbouncer )',
    // The pooler has closed this connection (see `lostByPooler`).
    rejectedName,
    'shutting down|login has been failing',
  ].join('|'),
);
/**
 * Messages of a Citus coordinator that has lost its connection to a worker. Citus reports XX000, an internal error, for
 * this.
 */
const workerMessages = new RegExp(
  [
    '^(server closed the connection|could not (send data to|receive data from) server|no connection to the server)',
    '^(SSL (connection has been closed|SYSCALL error)|connection not open|failure on connection marked as essential)',
    '^(could not commit transaction for shard|failed to prepare transaction|failed to read result)',
    '^(could not connect to any active placements|execution cannot recover from multiple connection failures)',
  ].join('|'),
);
/**
 * Connection error codes of the operating system. Connections to other services fail with the same codes, so the codes
 * count only for errors that come from the database.
 */
const connectionCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTDOWN',
  'EHOSTUNREACH',
  'ENETDOWN',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EAI_FAIL',
  'EMFILE',
  'ENFILE',
  'ENOBUFS',
  'EADDRNOTAVAIL',
]);
/**
 * Messages of `pg` and its pool that have no code: no connection became free in time, the current one ended, or the
 * server had no memory or process for a new one.
 */
const messages = new RegExp(
  [
    '^(timeout exceeded when trying to connect|timeout expired|Query read timeout|Connection terminated)',
    '^Client (has encountered a connection error|was closed) and is not queryable',
    '^There was an error establishing an SSL connection',
  ].join('|'),
);
/** Messages of `pg` for a connection that ended by itself: during a statement, or before it was sent. */
const lostMessages =
  /^(Connection terminated unexpectedly|Client (has encountered a connection error|was closed) and is not queryable)/;
/**
 * The codes of a connection that ended by itself. 57P01: the operator ended it. 57P05: it was idle for as long as the
 * server allows. ETIMEDOUT and the like are not in this list: such a statement has already waited for a long time.
 */
const lostCodes = new Set(['57P01', '57P05', 'ECONNABORTED', 'ECONNRESET', 'EPIPE']);
/**
 * Messages with which PgBouncer closes a connection.
 *
 * - The pooler has lost the server that ran the statement.
 * - The server failed to parse the statement when it was first sent on this connection, for example because a table was
 *   locked for too long. PgBouncer remembers the name all the same, so it accepts the name only on another connection.
 * - The operator has changed `max_prepared_statements` since the statement was first sent on this connection.
 */
const lostByPooler = new RegExp(`^server conn crashed|${rejectedName}`);

/** The errors that come from connections to the database. */
const noted = new WeakSet<object>();

/** Marks an error as coming from a connection to the database. @returns the error */
export function noteDatabaseError<Failure extends Error>(error: Failure): Failure {
  noted.add(error);
  return error;
}

/** Postgres, or a pooler in front of it, rejected a new connection. Its role, password or database may be changing. */
export class DatabaseRejected extends Error {
  /** The SQL state that the server returned. */
  readonly code?: string;

  constructor(override readonly cause: Error) {
    super(cause.message);
    this.name = 'DatabaseRejected';
    this.code = (cause as NodeJS.ErrnoException).code;
  }
}

/**
 * Returns true if an operation failed because the database is unavailable, so that a later attempt may succeed. Errors
 * of other services return false.
 */
export function isDatabaseUnavailable(error: unknown): boolean {
  return error instanceof QueryFailedError ? isTemporary(error.driverError, true) : isTemporary(error, false);
}

/** @param isOfDatabase true if the error is known to come from the database */
function isTemporary(error: unknown, isOfDatabase: boolean): boolean {
  if (!(error instanceof Error)) return false;
  const isOurs = isOfDatabase || noted.has(error);
  // Connecting to a host name with several addresses gives one error for each address.
  if (error instanceof AggregateError) {
    return error.errors.length > 0 && error.errors.every((each) => isTemporary(each, isOurs));
  }
  // TypeORM throws one of these errors for a statement after the connection has ended.
  if (error instanceof QueryRunnerAlreadyReleasedError || error instanceof QueryRunnerProviderAlreadyReleasedError) {
    return true;
  }
  if (error instanceof DatabaseRejected) return true;
  const { code = '' } = error as NodeJS.ErrnoException;
  if (code === '08P01') return poolerMessages.test(error.message);
  if (code === 'XX000') return workerMessages.test(error.message);
  if (code === '54000') return lacksTransactionIds(error);
  return sqlStates.test(code) || (isOurs && connectionCodes.has(code)) || messages.test(error.message);
}

function lacksTransactionIds(error: unknown): boolean {
  return error instanceof DatabaseError && idRoutines.test(error.routine ?? '');
}

/** Returns true if a statement took too long, so that a smaller one may succeed. */
export function isStatementTimeout(error: unknown): boolean {
  const cause: unknown = error instanceof QueryFailedError ? error.driverError : error;
  return (cause as { readonly code?: string } | null | undefined)?.code === '57014';
}

/** Returns true if the server did not respond at all, so that another attempt would wait just as long. */
export function isDatabaseSilent(error: unknown): boolean {
  const cause: unknown = error instanceof QueryFailedError ? error.driverError : error;
  return (cause as { readonly code?: string } | null | undefined)?.code === 'ETIMEDOUT';
}

/**
 * Returns true if a failed statement may have been committed nevertheless. Returns false only for an error that the
 * server reported and that cannot occur during a commit or a stop (see `sqlStates`).
 */
export function mayHaveCommitted(error: unknown): boolean {
  if (!(error instanceof QueryFailedError)) return false;
  const cause: unknown = error.driverError;
  return !(cause instanceof DatabaseError) || /^(08|53|57P0|58|XX)/.test(cause.code ?? 'XX');
}

/**
 * The server has rolled the transaction back at its COMMIT. Postgres does so without an error if an earlier statement
 * has failed.
 */
export class CommitRolledBack extends Error {
  /** @param cause the error of the earlier statement */
  constructor(cause: Error | null) {
    const reason = 'a statement of it had failed, and the failure was caught';
    super(`The transaction was rolled back at its COMMIT: ${reason}`, { cause });
    this.name = 'CommitRolledBack';
  }
}

/** Returns true if an error comes from a COMMIT that certainly rolled the transaction back. */
export function hasRolledBack(error: unknown): boolean {
  if (!(error instanceof QueryFailedError) || error.query !== 'COMMIT') return false;
  return (error.driverError as unknown) instanceof CommitRolledBack || !mayHaveCommitted(error);
}

/**
 * Returns true if PgBouncer has rejected the name of a statement and closed the connection. The transaction was rolled
 * back, because PgBouncer has sent neither the statement nor the COMMIT. It may succeed on another connection.
 */
export function isNameRejected(error: unknown): boolean {
  const cause: unknown = error instanceof QueryFailedError ? error.driverError : error;
  return cause instanceof DatabaseError && cause.code === '08P01' && new RegExp(rejectedName).test(cause.message);
}

/** Describes in a few words why the database is unavailable. */
export function databaseError(error: unknown): string {
  const cause: unknown = error instanceof QueryFailedError ? error.driverError : error;
  if (cause instanceof DatabaseRejected) return 'refuses connections';
  const { code = '' } = (cause ?? {}) as { code?: string };
  if (code === '25006') return 'is read-only';
  if (/^(53100|53400|58030)$/.test(code)) return 'cannot write to its disk';
  if (code === '53300') return 'has no connection left';
  if (lacksTransactionIds(cause)) return 'must be vacuumed before it accepts writes';
  return 'does not respond';
}

/**
 * Returns true if a connection ended during a statement or before it, so that the statement may succeed on another
 * connection. The server may have run the statement, so only reads may run again.
 */
export function isConnectionLost(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code = '' } = error as NodeJS.ErrnoException;
  if (code === '08P01') return lostByPooler.test(error.message);
  return lostCodes.has(code) || lostMessages.test(error.message);
}
