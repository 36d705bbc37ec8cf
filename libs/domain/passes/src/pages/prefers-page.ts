import type { IncomingMessage } from 'node:http';
import express, { type Request } from 'express';

/**
 * Maximum length of the `Accept` header that is parsed, because the parser takes quadratic time. No browser sends a
 * longer header.
 */
const MAX_LENGTH = 1000;

/**
 * Returns true if a request comes from a browser that shows a page: a GET or HEAD request whose `Accept` prefers HTML
 * to JSON.
 */
export function prefersPage({ method, headers }: Pick<IncomingMessage, 'method' | 'headers'>): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false;
  // Treat a request with a credential as a program's: browsers send none when they open a URL, but some HTTP libraries
  // prefer HTML.
  if (headers.authorization !== undefined) return false;
  const accept = headers.accept?.slice(0, MAX_LENGTH) ?? '';
  // A client that accepts any type but does not name HTML is a program.
  if (!/text\/html/i.test(accept)) return false;
  const sent = { headers: { accept } };
  return express.request.accepts.call(sent as Request, 'json', 'html') === 'html';
}
