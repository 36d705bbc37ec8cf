import type { Operation } from './operations.js';
import type { RawResponse } from './raw-request.js';

/** Errors that every operation may return. */
const anywhere = [
  '400 validation_failed',
  '401 unauthorized',
  '404 route_not_found',
  '405 method_not_allowed',
  '431 payload_too_large',
];

interface ErrorBody {
  readonly statusCode: number;
  readonly code: string;
  readonly message: string;
  readonly docUrl: string;
}

/** Returns what is wrong with a response to an operation; null if nothing is. */
export function problemOf(operation: Operation, { status, headers, text }: RawResponse): string | null {
  if (!/^[\w.-]{1,128}$/.test(headers['x-request-id'] as string)) return `${status} without X-Request-Id`;
  if (status < 400) return null;
  // A page with an error is not JSON.
  if (headers['content-type']?.startsWith('text/html')) {
    const isDeclared = status === 429 || operation.source.responses[status]?.content?.['text/html'] !== undefined;
    return isDeclared ? null : `${status}, a page`;
  }
  const body = JSON.parse(text) as Record<string, unknown>;
  if (Object.keys(body).sort().join() !== 'code,docUrl,error,message,statusCode') return `${status} with ${text}`;
  const { statusCode, code, message, docUrl } = body as unknown as ErrorBody;
  if (statusCode !== status) return `${status} says ${statusCode}`;
  if (!docUrl.endsWith(`/guides/errors#${code}`)) return `${status} ${code} with the docUrl ${docUrl}`;
  const isExpected = [...operation.errors, ...anywhere].includes(`${status} ${code}`);
  if (!isExpected || code === 'internal') return `${status} ${code}, which it does not declare: ${message}`;
  // Ignore quoted parts, because they may come from the request.
  const own = message.replace(/"[^"]*"/g, '');
  return /\b(?:SELECT|node_modules|undefined|NaN|Error:)\b|\[object |\n {4}at /.test(own) ? message : null;
}
