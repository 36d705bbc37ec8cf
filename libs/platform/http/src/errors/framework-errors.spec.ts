import { HttpException, ServiceUnavailableException } from '@nestjs/common';
import type { Request } from 'express';
import { toAppError } from './framework-errors.js';

const request = { method: 'GET', path: '/v1/account' } as Request;

/** An exception of another copy of @nestjs/common, with only the parts that all versions have. */
class ForeignException extends Error {
  constructor(
    private readonly status: number,
    private readonly response: object,
  ) {
    super('Http Exception');
  }

  getStatus(): number {
    return this.status;
  }

  getResponse(): object {
    return this.response;
  }
}

it('toAppError keeps the status and message of an exception from another copy of Nest', () => {
  const failure = toAppError(new ForeignException(403, { message: ['only for staff'] }), request);
  expect(failure).toMatchObject({ statusCode: 403, code: 'forbidden', message: 'only for staff' });
});

it('503 not_ready for a 503 that the app throws, for example during maintenance', () => {
  const failure = toAppError(new ServiceUnavailableException('We are back at noon.'), request);
  expect(failure).toMatchObject({ statusCode: 503, code: 'not_ready', message: 'We are back at noon.' });
});

it.each([500, 502, 599])('500 internal for a Nest exception with status %i, without its message', (status) => {
  const failure = toAppError(new HttpException('a secret', status), request);
  expect(failure).toMatchObject({
    statusCode: 500,
    code: 'internal',
    message: expect.not.stringContaining('secret'),
  });
});
