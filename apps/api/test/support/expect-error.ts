import type { ApiResponse } from './running-service.js';

/** Matches the address at which the guide explains a code. */
export const docUrlOf = (code: string) =>
  expect.stringMatching(new RegExp(`^https?://.+/guides/errors#${code}$`)) as string;

/** Expects an error response with this status and code, such as `404 pass_not_found`, in the standard form. */
export function expectError(response: ApiResponse, error: string, operation: string): void {
  const [status, code = ''] = error.split(' ');
  const { statusCode, code: sent, error: reason, message, docUrl, ...rest } = response.body ?? {};
  expect({ operation, status: response.status, statusCode, code: sent, docUrl, rest }).toEqual({
    operation,
    status: Number(status),
    statusCode: Number(status),
    code,
    docUrl: docUrlOf(code),
    rest: {},
  });
  expect([reason, message]).toEqual([expect.stringMatching(/^[A-Z]/), expect.stringMatching(/.{10}/)]);
  if (status === '503') expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(response.headers.get('x-request-id')).toMatch(/^[\w.-]{1,128}$/);
}
