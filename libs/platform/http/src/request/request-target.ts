import type { IncomingMessage } from 'node:http';
import { ValidationFailed } from '@passwright/core';
import type { NextFunction, Request, Response } from 'express';
import { refusedContent, refusedText } from './refused-content.js';

/**
 * Refuses paths and queries whose percent-encoding is broken or not UTF-8, or that hold refused texts, before any route
 * sees them; and HTTP/1.1 requests without `Host`, or with several.
 * @throws ValidationFailed
 */
export function refuseMalformedTargets(request: Request, _response: Response, next: NextFunction): void {
  requireOneHost(request);
  const { path, query } = splitTarget(request.originalUrl);
  const wrong = refusedText(decoded(path, 'path'));
  if (wrong) throw new ValidationFailed(`the path ${wrong}`);
  if (query !== '') refuseQuery(request, query);
  next();
}

/** Takes `//v1/…` for `/v1/…`: what asks so has joined a path to an address that ends with a slash, as some wallets do. */
export function joinSlashes(request: Request, _response: Response, next: NextFunction): void {
  if (request.url.startsWith('//')) request.url = request.url.replace(/^\/+/, '/');
  next();
}

/** The path and the query of a request target, as they were sent. */
export function splitTarget(target: string): { path: string; query: string } {
  const end = target.indexOf('?');
  return end < 0 ? { path: target, query: '' } : { path: target.slice(0, end), query: target.slice(end + 1) };
}

function refuseQuery(request: Request, query: string): void {
  // The parser would put replacement characters for what is not UTF-8.
  decoded(query, 'query');
  const wrong = refusedContent(request.query);
  if (wrong) throw new ValidationFailed(wrong);
}

function decoded(text: string, part: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new ValidationFailed(`the ${part} must be percent-encoded UTF-8: write a percent sign itself as %25`);
  }
}

/** RFC 9112 §3.2. */
function requireOneHost({ headersDistinct: { host }, httpVersion }: IncomingMessage): void {
  if (host === undefined && httpVersion === '1.1') throw new ValidationFailed('the Host header is missing');
  if (host !== undefined && host.length > 1) throw new ValidationFailed('there must be one Host header, not several');
}
