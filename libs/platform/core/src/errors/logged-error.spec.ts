import { loggedError } from './logged-error.js';

/** An error as TypeORM throws it: it has the properties of the driver's error, too. */
class QueryFailedError extends Error {
  readonly parameters = ['ada@example.com'];

  constructor(readonly driverError: Error) {
    super(driverError.message);
    Object.assign(this, driverError);
  }
}

const stackOf = (error: Error) => String(error.stack).slice(String(error.stack).indexOf('\n    at '));

it('tells what was thrown by type, message and stack, and nothing of its own properties', () => {
  const error = Object.assign(new TypeError('x is not a function'), { parameters: ['secret'] });
  expect(loggedError(error)).toEqual({ type: 'TypeError', message: 'x is not a function', stack: error.stack });
});

it('tells the text of a thrown value that is not an Error', () => {
  expect(loggedError('thrown')).toMatchObject({ type: 'Error', message: 'thrown' });
});

it('tells the code of an error that has no message', () => {
  expect(loggedError(Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' })).message).toBe('ECONNREFUSED');
});

it('tells the cause of an error, unless the database refused something', () => {
  const fault = new Error('Not written.', { cause: new Error('EIO') });
  const error = new Error('No storage.', { cause: fault });
  expect(loggedError(error).message).toBe('No storage. Cause: Not written. Cause: EIO');
  fault.cause = error;
  expect(loggedError(error).message).toMatch(/Cause: No storage\.$/);
  const refusal = Object.assign(new Error('"ada@example.com"'), { severity: 'ERROR', code: '23505' });
  expect(loggedError(new Error('No storage.', { cause: refusal })).message).toBe('No storage.');
});

describe('what the database refused', () => {
  const refusal = Object.assign(new Error('duplicate key: "ada@example.com"\nline 2'), {
    severity: 'ERROR',
    code: '23505',
    table: 'app_user',
    constraint: 'app_user_email_key',
    detail: 'Key (email)=(ada@example.com) already exists.',
  });

  it('is told by its code, table and constraint, without its own message, values and query', () => {
    const error = new QueryFailedError(refusal);
    expect(loggedError(error)).toEqual({
      type: 'QueryFailedError',
      message: 'SQLSTATE 23505 of app_user_email_key',
      sqlState: '23505',
      table: 'app_user',
      constraint: 'app_user_email_key',
      stack: stackOf(error),
    });
  });

  it('is told so also when it comes from the driver itself', () => {
    expect(loggedError(refusal)).toMatchObject({ type: 'Error', sqlState: '23505', stack: stackOf(refusal) });
    expect(JSON.stringify(loggedError(refusal))).not.toContain('ada@');
  });

  it('is told by its message when the server has not spoken', () => {
    const lost = new QueryFailedError(new Error('Connection terminated unexpectedly'));
    expect(loggedError(lost)).toMatchObject({ message: 'Connection terminated unexpectedly' });
  });
});
