import type { IncomingMessage } from 'node:http';
import express, { type Request } from 'express';

/** No browser sends a longer `Accept` header. The time of the parser grows with the square of the length. */
const MAX_LENGTH = 1000;

/**
 * Returns true if a request comes from a browser that shows a page: a read whose `Accept` prefers HTML to JSON.
 * Programs accept JSON, another type or any type, or send no `Accept`.
 */
export function prefersPage({ method, headers }: Pick<IncomingMessage, 'method' | 'headers'>): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false;
  // Some HTTP libraries prefer HTML by default. A request with a credential comes from one of these, because a browser
  // that opens an address sends none.
  if (headers.authorization !== undefined) return false;
  const accept = headers.accept?.slice(0, MAX_LENGTH) ?? '';
  // A program that takes any type does not ask for a page.
  if (!/text\/html/i.test(accept)) return false;
  const sent = { headers: { accept } };
  return express.request.accepts.call(sent as Request, 'json', 'html') === 'html';
}
