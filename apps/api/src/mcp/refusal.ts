import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { ApiAnswer } from './api-calls.js';

/** What the API refuses, told in its words, with its error body as data: where an answer is no result of a tool. */
export function refusal({ json, status }: ApiAnswer): ProtocolError {
  const code = status === 400 ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InvalidRequest;
  return new ProtocolError(
    code,
    typeof json?.message === 'string' ? json.message : `The API answered ${status}.`,
    json,
  );
}
