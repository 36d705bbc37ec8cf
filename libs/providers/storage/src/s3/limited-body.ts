import { Readable } from 'node:stream';
import { S3ResponseIncomplete, S3ResponseTooLarge } from './s3-failure.js';

/**
 * Reads a whole body into memory. Closes the connection if the body is too large, or if reading fails or is aborted.
 * @param expectedBytes the announced size; a shorter body was cut off
 * @throws S3ResponseTooLarge, S3ResponseIncomplete
 */
export async function limitedBody(
  body: Readable,
  { mostBytes, expectedBytes, signal }: { mostBytes: number; expectedBytes?: number; signal?: AbortSignal },
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const abort = () => body.destroy(signal?.reason as Error);
  signal?.addEventListener('abort', abort, { once: true });
  try {
    if (signal?.aborted) abort();
    if ((expectedBytes ?? 0) > mostBytes) throw new S3ResponseTooLarge(mostBytes);
    for await (const chunk of body as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > mostBytes) throw new S3ResponseTooLarge(mostBytes);
      chunks.push(chunk);
    }
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'ECONNRESET'
      ? new S3ResponseIncomplete('The response was cut off')
      : error;
  } finally {
    signal?.removeEventListener('abort', abort);
    body.destroy();
  }
  if (expectedBytes !== undefined && bytes !== expectedBytes) {
    throw new S3ResponseIncomplete(`The response has ${bytes} of ${expectedBytes} bytes`);
  }
  return Buffer.concat(chunks, bytes);
}
