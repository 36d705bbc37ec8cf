import { loggedError } from './logged-error.js';

/** An error like TypeORM's, which has copies of the properties of the driver's error. */
class QueryFailedError extends Error {
  readonly parameters = ['ada@example.com'];

  constructor(readonly driverError: Error) {
    super(driverError.message);
    Object.assign(this, driverError);
  }
}

const stackOf = (error: Error) => String(error.stack).slice(String(error.stack).indexOf('\n    at '));

it('loggedError keeps type, message and stack of an error, but not its own properties', () => {
  const error = Object.assign(new TypeError('x is not a function'), { parameters: ['secret'] });
  expect(loggedError(error)).toEqual({ type: 'TypeError', message: 'x is not a function', stack: error.stack });
});

it('loggedError keeps the text of a thrown value that is not an Error', () => {
  expect(loggedError('thrown')).toMatchObject({ type: 'Error', message: 'thrown' });
});

it('loggedError keeps the code of an error without a message', () => {
  expect(loggedError(Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' })).message).toBe('ECONNREFUSED');
});

it('loggedError keeps the cause of an error, unless the cause is an error response of the database', () => {
  const problem = new Error('Not written.', { cause: new Error('EIO') });
  const error = new Error('No storage.', { cause: problem });
  expect(loggedError(error).message).toBe('No storage. Cause: Not written. Cause: EIO');
  problem.cause = error;
  expect(loggedError(error).message).toMatch(/Cause: No storage\.$/);
  const rejection = Object.assign(new Error('"ada@example.com"'), { severity: 'ERROR', code: '23505' });
  expect(loggedError(new Error('No storage.', { cause: rejection })).message).toBe('No storage.');
});

describe('error responses of the database', () => {
  const rejection = Object.assign(new Error('duplicate key: "ada@example.com"\nline 2'), {
    severity: 'ERROR',
    code: '23505',
    table: 'app_user',
    constraint: 'app_user_email_key',
    detail: 'Key (email)=(ada@example.com) already exists.',
  });

  it('loggedError keeps code, table and constraint of an error response, but omits its message, values and query', () => {
    const error = new QueryFailedError(rejection);
    expect(loggedError(error)).toEqual({
      type: 'QueryFailedError',
      message: 'SQLSTATE 23505 of app_user_email_key',
      sqlState: '23505',
      table: 'app_user',
      constraint: 'app_user_email_key',
      stack: stackOf(error),
    });
  });

  it('loggedError omits the values of an error response that TypeORM has not wrapped', () => {
    expect(loggedError(rejection)).toMatchObject({ type: 'Error', sqlState: '23505', stack: stackOf(rejection) });
    expect(JSON.stringify(loggedError(rejection))).not.toContain('ada@');
  });

  it('loggedError keeps the message of a database error that did not come from the server', () => {
    const lost = new QueryFailedError(new Error('Connection terminated unexpectedly'));
    expect(loggedError(lost)).toMatchObject({ message: 'Connection terminated unexpectedly' });
  });
});
