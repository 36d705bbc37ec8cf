import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { S3ResponseForeign } from './s3-failure.js';

/** A response as the AWS package receives it. */
export interface ServiceResponse {
  readonly statusCode: number;
  /** The headers, with names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  body?: unknown;
}

/**
 * Checks that a successful response contains a whole object. A proxy between the service and the bucket may respond with
 * a page of its own.
 * @throws S3ResponseForeign
 */
export function requireWholeBlob({ statusCode, headers, body }: ServiceResponse): void {
  // Without a length or chunks, a response that was cut off looks complete.
  const hasEnd = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
  if (statusCode === 200 && hasEnd && headers.etag !== undefined) return;
  if (body instanceof Readable) body.destroy();
  throw new S3ResponseForeign(`A response with status ${statusCode} is not a whole object with an ETag`);
}

const errorEnd = Buffer.from('</Error>');

/**
 * Checks that a successful response comes from the bucket. Otherwise, an upload would count as stored, a deletion as
 * done and a folder as empty.
 * @throws S3ResponseForeign
 */
export function requireConfirmed(
  commandName: string | undefined,
  { headers }: ServiceResponse,
  body: Uint8Array,
): void {
  const text = Buffer.from(body.buffer, body.byteOffset, body.length);
  // The package throws the error of such a body, and of no other body with status 200.
  if (text.subarray(-errorEnd.length).equals(errorEnd)) return;
  if (commandName === 'ListObjectsV2Command') {
    if (!text.includes('<ListBucketResult')) throw new S3ResponseForeign('A response is not a list');
    return;
  }
  if (body.length > 0) throw new S3ResponseForeign('A response that should have no body has one');
  const needsTag = commandName === 'PutObjectCommand' || commandName === 'HeadObjectCommand';
  if (needsTag && headers.etag === undefined) throw new S3ResponseForeign('A response has no ETag');
}

/** Matches the key of a blob whose name is its SHA-256. */
const hashName = /\/([0-9a-f]{64})\.\w+$/;

/**
 * Checks the content of an object whose name is its SHA-256.
 * @throws S3ResponseForeign
 */
export function requireNamedContent(key: string, bytes: Uint8Array): void {
  const [, hash] = hashName.exec(key) ?? [];
  if (hash === undefined || createHash('sha256').update(bytes).digest('hex') === hash) return;
  throw new S3ResponseForeign('The content of an object is not what its name says');
}
