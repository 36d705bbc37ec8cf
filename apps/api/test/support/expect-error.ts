import type { Answer } from './running-service.js';

/** Expects an error response, such as `404 pass_not_found`: its status, its code and the form of its body. */
export function expectError(answer: Answer, error: string, operation: string): void {
  const [status, code] = error.split(' ');
  const { statusCode, code: sent, error: reason, message, ...rest } = answer.body ?? {};
  expect({ operation, status: answer.status, statusCode, code: sent, rest }).toEqual({
    operation,
    status: Number(status),
    statusCode: Number(status),
    code,
    rest: {},
  });
  expect([reason, message]).toEqual([expect.stringMatching(/^[A-Z]/), expect.stringMatching(/.{10}/)]);
  expect(answer.headers.get('x-request-id')).toMatch(/^[\w.-]{1,128}$/);
}
