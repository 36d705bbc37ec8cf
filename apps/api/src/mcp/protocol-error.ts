import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { ApiResponseBody } from './api-calls.service.js';

/**
 * Converts an API error to a protocol error with the same text, and the error body as its data. For responses that are
 * not tool results.
 */
export function rejection(response: ApiResponseBody): ProtocolError {
  const { json, status } = response;
  const code = status === 400 ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InvalidRequest;
  return new ProtocolError(
    code,
    typeof json?.message === 'string' ? json.message : `The API returned ${status}.`,
    problemOf(response),
  );
}

/**
 * Returns the API's error body, with the seconds of `Retry-After`, because agents do not see headers. Omits `docUrl`,
 * which costs tokens and repeats the code.
 */
export function problemOf({ json, headers }: ApiResponseBody): Record<string, unknown> | null {
  if (!json) return null;
  const { docUrl: _, ...problem } = json;
  const retryAfterSeconds = Number(headers['retry-after']);
  return retryAfterSeconds >= 0 ? { ...problem, retryAfterSeconds } : problem;
}
