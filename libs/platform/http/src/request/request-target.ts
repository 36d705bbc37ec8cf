import type { IncomingMessage } from 'node:http';
import { ValidationFailed } from '@passwright/core';
import type { NextFunction, Request, Response } from 'express';
import { rejectedContent, rejectedText } from './rejected-content.js';

/**
 * Rejects malformed targets before any route sees them: paths and queries with broken percent-encoding, invalid UTF-8
 * or rejected texts. Also rejects HTTP/1.1 requests without a `Host` header, or with several.
 * @throws ValidationFailed
 */
export function rejectMalformedTargets(request: Request, _response: Response, next: NextFunction): void {
  requireOneHost(request);
  const { path, query } = splitTarget(request.originalUrl);
  const wrong = rejectedText(decoded(path, 'path'));
  if (wrong) throw new ValidationFailed(`the path ${wrong}`);
  if (query !== '') rejectQuery(request, query);
  next();
}

/** Treats `//v1/…` as `/v1/…`, because some wallets append a path to a base address that ends with a slash. */
export function joinSlashes(request: Request, _response: Response, next: NextFunction): void {
  if (request.url.startsWith('//')) request.url = request.url.replace(/^\/+/, '/');
  next();
}

/** Splits a request target into path and query, as sent. */
export function splitTarget(target: string): { path: string; query: string } {
  const end = target.indexOf('?');
  return end < 0 ? { path: target, query: '' } : { path: target.slice(0, end), query: target.slice(end + 1) };
}

/** Matches a route's path that has only plain text and parameters such as `:id`, no wildcards or optional parts. */
const plainRoute = /^(?:[\w./~-]|:[A-Za-z_])*$/;

/**
 * Returns the path of a request as its route spells it, with the same parameters. The router also accepts other
 * spellings: upper case, a slash at the end, or escaped characters. Returns the path as sent if no route matches, or if
 * the route has more than plain parameters.
 */
export function routePath({ originalUrl, baseUrl, route, params }: Request): string {
  const { path } = (route ?? {}) as { readonly path?: unknown };
  if (typeof path !== 'string' || !plainRoute.test(path)) return splitTarget(originalUrl).path;
  return baseUrl + path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(params[name])));
}

function rejectQuery(request: Request, query: string): void {
  // Decode the query here too, because the query parser would silently replace invalid UTF-8.
  decoded(query, 'query');
  const wrong = rejectedContent(request.query);
  if (wrong) throw new ValidationFailed(wrong);
}

function decoded(text: string, part: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new ValidationFailed(`the ${part} must be percent-encoded UTF-8: write a percent sign itself as %25`);
  }
}

/** Requires exactly one `Host` header, as RFC 9112 §3.2 demands. */
function requireOneHost({ rawHeaders, httpVersion }: IncomingMessage): void {
  let hosts = 0;
  // Search the raw headers, because `headersDistinct` would build a second object of all headers.
  for (let name = 0; name < rawHeaders.length; name += 2) if (isHost(rawHeaders[name])) hosts++;
  if (hosts === 0 && httpVersion === '1.1') throw new ValidationFailed('the Host header is missing');
  if (hosts > 1) throw new ValidationFailed('there must be one Host header, not several');
}

function isHost(name: string | undefined): boolean {
  return name?.length === 4 && name.toLowerCase() === 'host';
}
