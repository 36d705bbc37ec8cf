import type { IncomingMessage } from 'node:http';
import express, { type Request } from 'express';

/**
 * Maximum length of the `Accept` header that is parsed, because the parser takes quadratic time. No browser sends a
 * longer header.
 */
const MAX_LENGTH = 1000;

/**
 * Returns true if a request comes from a browser that shows a page: a read whose `Accept` prefers HTML to JSON. Other
 * programs accept JSON, another type or any type, or send no `Accept`.
 */
export function prefersPage({ method, headers }: Pick<IncomingMessage, 'method' | 'headers'>): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false;
  // Some HTTP libraries prefer HTML by default. Browsers send no credential when they open a URL.
  if (headers.authorization !== undefined) return false;
  const accept = headers.accept?.slice(0, MAX_LENGTH) ?? '';
  // A program that accepts any type does not want a page.
  if (!/text\/html/i.test(accept)) return false;
  const sent = { headers: { accept } };
  return express.request.accepts.call(sent as Request, 'json', 'html') === 'html';
}
