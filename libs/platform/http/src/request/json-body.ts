import { createHash } from 'node:crypto';
import { UnsupportedMediaType } from '@passwright/core';
import type { Request } from 'express';
import { parseJson } from './json-text.js';
import { hasBody } from './media-type.js';

const bodyHashes = new WeakMap<object, Buffer>();

/**
 * Parses a JSON body: an object or list in UTF-8, at most 32 levels deep, without rejected texts. @throws like
 * `parseJson`
 */
export function readJson(request: Request, bytes: Buffer): object {
  if (request.headers['idempotency-key'] !== undefined) bodyHashes.set(request, sha256(bytes));
  return bytes.length === 0 ? {} : parseJson(bytes);
}

/** Returns the SHA-256 of the JSON body as received; null for an unread body. */
export function bodyHash(request: Request): Buffer | null {
  return bodyHashes.get(request) ?? (hasBody(request) ? null : sha256(''));
}

/** Rejects a JSON body in a charset other than UTF-8. @throws UnsupportedMediaType */
export function requireReadableJson({ headers }: Request): void {
  const charset = /;\s*charset\s*=\s*"?([^\s;"]*)/i.exec(headers['content-type'] ?? '')?.[1];
  if (charset !== undefined && !/^utf-?8$/i.test(charset)) {
    throw new UnsupportedMediaType('JSON is read as UTF-8 only: leave out the charset, or send charset=utf-8.');
  }
}

function sha256(bytes: Buffer | string): Buffer {
  return createHash('sha256').update(bytes).digest();
}
