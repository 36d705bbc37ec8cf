import { ProtocolErrorCode, specTypeSchemas as schemas } from '@modelcontextprotocol/server';

/** A JSON-RPC error as it is sent. */
export interface RpcError {
  readonly jsonrpc: '2.0';
  readonly id: string | number;
  readonly error: { readonly code: number; readonly message: string };
}

/** Answers an `initialize` with wrong parameters; the library would call that a failure of the server. Null for all else. */
export function wrongInitialize(message: unknown): RpcError | null {
  const { method, id, params } = (message ?? {}) as { method?: unknown; id?: unknown; params?: unknown };
  if (method !== 'initialize' || (typeof id !== 'string' && typeof id !== 'number')) return null;
  const { issues } = schemas.InitializeRequestParams['~standard'].validate(params);
  if (!issues) return null;
  const [issue] = issues;
  const path = (issue?.path ?? []).map((part) => String(typeof part === 'object' ? part.key : part)).join('.');
  const text = `Invalid params for initialize: ${path === '' ? 'params' : path}: ${issue?.message ?? 'invalid'}`;
  return { jsonrpc: '2.0', id, error: { code: ProtocolErrorCode.InvalidParams, message: text } };
}
