import { DatabaseError } from 'pg';
import { databaseError, isConnectionLost, isDatabaseUnavailable } from './temporary-errors.js';

const failure = (code: string, message: string) => Object.assign(new Error(message), code && { code });

it.each([
  ['', 'Connection terminated unexpectedly'],
  ['', 'Client has encountered a connection error and is not queryable'],
  ['', 'Client was closed and is not queryable'],
  ['ECONNRESET', 'read ECONNRESET'],
  ['ECONNABORTED', 'write ECONNABORTED'],
  ['EPIPE', 'This socket has been ended by the other party'],
  ['57P01', 'terminating connection due to administrator command'],
  ['57P05', 'terminating connection due to idle-session timeout'],
  ['08P01', 'server conn crashed?'],
  ['08P01', 'prepared statement name is already in use'],
  ['08P01', 'prepared statement did not exist'],
])('isConnectionLost returns true for the error of a connection that ended by itself: %s %s', (code, message) => {
  expect(isConnectionLost(failure(code, message))).toBe(true);
});

it.each([
  ['', 'Connection terminated due to connection timeout'],
  ['', 'timeout exceeded when trying to connect'],
  ['ETIMEDOUT', 'Postgres has not responded for 9000 ms; its connection was given up'],
  ['ECONNREFUSED', 'connect ECONNREFUSED 127.0.0.1:5432'],
  ['57014', 'canceling statement due to statement timeout'],
  ['08P01', 'query_wait_timeout'],
  ['08P01', 'invalid message format'],
  ['42P01', 'relation "pass" does not exist'],
])('isConnectionLost returns false for an error that a repetition would only delay: %s %s', (code, message) => {
  expect(isConnectionLost(failure(code, message))).toBe(false);
});

/** An error as Postgres reports it, in the language of the server. */
function limitExceeded(routine: string): DatabaseError {
  return Object.assign(new DatabaseError('Die Datenbank nimmt keine Befehle an', 1, 'error'), {
    code: '54000',
    routine,
  });
}

it.each(['GetNewTransactionId', 'GetNewMultiXactId'])(
  'isDatabaseUnavailable returns true while Postgres has no transaction ids left: %s',
  (routine) => {
    expect(isDatabaseUnavailable(limitExceeded(routine))).toBe(true);
    expect(databaseError(limitExceeded(routine))).toBe('must be vacuumed before it accepts writes');
  },
);

it('isDatabaseUnavailable returns false for a row that is too large for its index', () => {
  expect(isDatabaseUnavailable(limitExceeded('index_form_tuple_context'))).toBe(false);
});
