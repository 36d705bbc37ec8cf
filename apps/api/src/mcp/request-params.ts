import { PROTOCOL_VERSION_META_KEY, ProtocolErrorCode, specTypeSchemas as schemas } from '@modelcontextprotocol/server';

/** The JSON-RPC error to send. */
export interface RpcError {
  readonly jsonrpc: '2.0';
  readonly id: string | number;
  readonly error: { readonly code: number; readonly message: string };
}

/** A problem that a schema has found, with the type that zod expected. */
interface Issue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[];
  readonly expected?: string;
}

interface Validation {
  validate(params: unknown): { readonly issues?: readonly Issue[] };
}

// Check these messages here, because the library would report wrong parameters of `initialize` as a server failure, and
// those of `tools/call` in many lines.
const checked = new Map<unknown, Validation>([
  ['initialize', schemas.InitializeRequestParams['~standard']],
  ['tools/call', schemas.CallToolRequestParams['~standard']],
]);

const expectations: Readonly<Record<string, string>> = {
  string: 'must be a text',
  object: 'must be an object',
  record: 'must be an object',
};

/**
 * Returns the error response to an `initialize` or `tools/call` message with wrong parameters; null for any other
 * message.
 */
export function wrongParams(message: unknown): RpcError | null {
  const { method, id, params } = (message ?? {}) as { method?: unknown; id?: unknown; params?: unknown };
  if (typeof id !== 'string' && typeof id !== 'number') return null;
  if (method === 'initialize' && isStateless(params)) return null;
  const [issue] = checked.get(method)?.validate(params).issues ?? [];
  if (!issue) return null;
  const path = (issue.path ?? []).map((part) => String(typeof part === 'object' ? part.key : part)).join('.');
  const rule = expectations[issue.expected ?? ''] ?? `is wrong: ${issue.message}`;
  const text = `Invalid params for ${String(method)}: ${path === '' ? 'params' : path} ${rule}`;
  return { jsonrpc: '2.0', id, error: { code: ProtocolErrorCode.InvalidParams, message: text } };
}

/**
 * Returns true if a message has the protocol version 2026-07-28 or later, which has no `initialize`, so that the
 * library itself responds.
 */
function isStateless(params: unknown): boolean {
  const { _meta: meta } = (params ?? {}) as { _meta?: unknown };
  return typeof meta === 'object' && meta !== null && PROTOCOL_VERSION_META_KEY in meta;
}
