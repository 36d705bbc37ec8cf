import { createHash } from 'node:crypto';
import { namesTag, parseTags } from '@passwright/core';
import type { Request, Response } from 'express';

/** A file to serve unchanged. */
export interface ServedFile {
  readonly type: string;
  readonly bytes: Buffer;
  readonly etag: string;
}

export function servedFile(type: string, content: string | Buffer): ServedFile {
  const bytes = Buffer.from(content);
  return { type, bytes, etag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"` };
}

/** Sends a file, or 304 if `If-None-Match` names its tag. */
export function sendFile({ type, bytes, etag }: ServedFile, request: Request, response: Response): void {
  const known = request.headers['if-none-match'];
  response.set({ 'Content-Type': type, ETag: etag, 'Cache-Control': 'public, no-cache' });
  if (known !== undefined && namesTag(parseTags(known), etag)) response.status(304).end();
  else response.send(bytes);
}
