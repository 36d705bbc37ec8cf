import { createHash } from 'node:crypto';
import { namesTag, parseTags } from '@passwright/core';
import type { Request, Response } from 'express';

/** A file to serve unchanged. */
export interface ServedFile {
  readonly type: string;
  readonly bytes: Buffer;
  readonly etag: string;
  readonly cacheControl: string;
}

/** @param cacheControl how long caches may keep the file. Default: they ask each time whether it has changed */
export function servedFile(
  type: string,
  content: string | Buffer,
  cacheControl: string = 'public, no-cache',
): ServedFile {
  const bytes = Buffer.from(content);
  const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
  return { type, bytes, etag, cacheControl };
}

/** Sends a file, or 304 if `If-None-Match` names its tag. */
export function sendFile({ type, bytes, etag, cacheControl }: ServedFile, request: Request, response: Response): void {
  const known = request.headers['if-none-match'];
  response.set({ 'Content-Type': type, ETag: etag, 'Cache-Control': cacheControl });
  if (known !== undefined && namesTag(parseTags(known), etag)) response.status(304).end();
  else response.send(bytes);
}
