import { createHash } from 'node:crypto';
import { UnsupportedMediaType } from '@passwright/core';
import { raw, type NextFunction, type Request, type RequestHandler, type Response } from 'express';
import { bodyRefusal, bodyTooLarge } from './body-refusal.js';
import { parseJson } from './json-text.js';
import { hasBody, isJson } from './media-type.js';

const MAX_BODY_BYTES = 1024 * 1024;
const bodyHashes = new WeakMap<object, Buffer>();

/**
 * Reads JSON bodies: at most 1 MiB (also when inflated), UTF-8, an object or a list, at most 32 levels deep, without
 * refused texts. No body at all reads as `{}`, so that validation names what is missing, and so does that of a GET or HEAD,
 * which means nothing (RFC 9110 §9.3.1). Bodies of other media types are left unread, for the routes that take them, and
 * so are those that have been read.
 */
export function readJsonBodies(): RequestHandler {
  const read = raw({ limit: MAX_BODY_BYTES, type: () => true });
  return (request, response, next) => {
    if (request.body !== undefined) {
      next();
    } else if (!hasBody(request) || ['GET', 'HEAD'].includes(request.method)) {
      request.body = {};
      next();
    } else if (isJson(request)) {
      refuseUnread(request);
      read(request, response, (error?: unknown) => receive(request, response, next, error));
    } else {
      next();
    }
  };
}

/** SHA-256 of the JSON body as it was received, of nothing when there was none; null for a body that was left unread. */
export function bodyHash(request: Request): Buffer | null {
  return bodyHashes.get(request) ?? (hasBody(request) ? null : sha256(''));
}

function receive(request: Request, _response: Response, next: NextFunction, error: unknown): void {
  try {
    if (error) throw bodyRefusal(error, MAX_BODY_BYTES);
    const bytes = request.body as Buffer;
    if (request.headers['idempotency-key'] !== undefined) bodyHashes.set(request, sha256(bytes));
    request.body = bytes.length === 0 ? {} : parseJson(bytes);
  } catch (failure) {
    next(failure);
    return;
  }
  next();
}

/** What the headers alone tell is answered at once; the server throws away the rest of the body. */
function refuseUnread({ headers }: Request): void {
  if (Number(headers['content-length'] ?? 0) > MAX_BODY_BYTES) throw bodyTooLarge(MAX_BODY_BYTES);
  const charset = /;\s*charset\s*=\s*"?([^\s;"]*)/i.exec(headers['content-type'] ?? '')?.[1];
  if (charset !== undefined && !/^utf-?8$/i.test(charset)) {
    throw new UnsupportedMediaType('JSON is read as UTF-8 only: leave out the charset, or send charset=utf-8.');
  }
}

function sha256(bytes: Buffer | string): Buffer {
  return createHash('sha256').update(bytes).digest();
}
