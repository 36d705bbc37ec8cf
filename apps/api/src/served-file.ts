import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { namesTag, parseTags } from '@passwright/core';
import type { Request, Response } from 'express';

/** The minimum size of a file to compress. A smaller file fits into one packet. */
const COMPRESSED_FROM_BYTES = 1400;

/** A file to serve unchanged. */
export interface ServedFile {
  readonly type: string;
  readonly bytes: Buffer;
  readonly etag: string;
  readonly cacheControl: string;
  /** Compresses the file once, with gzip. Returns null if that would save nothing. */
  gzipped(): Promise<Buffer> | null;
}

/** @param cacheControl how long caches may keep the file. Default: they must revalidate it each time */
export function servedFile(
  type: string,
  content: string | Buffer,
  cacheControl: string = 'public, no-cache',
): ServedFile {
  const bytes = Buffer.from(content);
  const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
  const isCompressible = bytes.length >= COMPRESSED_FROM_BYTES && /^text\/|json|svg/.test(type);
  let compressed: Promise<Buffer> | null = null;
  const gzipped = () => (isCompressible ? (compressed ??= promisify(gzip)(bytes, { level: 9 })) : null);
  return { type, bytes, etag, cacheControl, gzipped };
}

/** Sends a file, compressed if the client accepts gzip. Sends 304 if `If-None-Match` contains a tag of the file. */
export async function sendFile(file: ServedFile, request: Request, response: Response): Promise<void> {
  const known = parseTags(request.headers['if-none-match'] ?? '');
  const gzipTag = file.etag.replace(/"$/, '-gzip"');
  const knownTag = [file.etag, gzipTag].find((tag) => namesTag(known, tag));
  response.vary('Accept-Encoding');
  response.set({ 'Content-Type': file.type, ETag: knownTag ?? file.etag, 'Cache-Control': file.cacheControl });
  if (knownTag !== undefined) return void response.status(304).end();
  const gzipped = request.acceptsEncodings('gzip') === 'gzip' ? await file.gzipped() : null;
  if (gzipped) response.set('ETag', gzipTag);
  response.set(gzipped ? { 'Content-Encoding': 'gzip' } : {}).send(gzipped ?? file.bytes);
}
