import { QueryFailedError } from 'typeorm';
import { loggedError } from './logged-error.js';

const stackOf = (error: Error) => String(error.stack).slice(String(error.stack).indexOf('\n    at '));

it('tells what was thrown by type, message and stack, and nothing of its own properties', () => {
  const error = Object.assign(new TypeError('x is not a function'), { parameters: ['secret'] });
  expect(loggedError(error)).toEqual({ type: 'TypeError', message: 'x is not a function', stack: error.stack });
});

it('tells of what is no Error what it says', () => {
  expect(loggedError('thrown')).toMatchObject({ type: 'Error', message: 'thrown' });
});

it('tells the cause of an error, unless the database refused something', () => {
  expect(loggedError(new Error('No storage.', { cause: new Error('EIO') })).message).toBe('No storage. Cause: EIO');
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

  it('is told by its code, table and constraint, without message, values and query', () => {
    const error = new QueryFailedError('INSERT', ['ada@example.com'], refusal);
    expect(loggedError(error)).toEqual({
      type: 'QueryFailedError',
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
    const lost = new QueryFailedError('SELECT 1', [], new Error('Connection terminated unexpectedly'));
    expect(loggedError(lost)).toMatchObject({ message: 'Connection terminated unexpectedly' });
  });
});
