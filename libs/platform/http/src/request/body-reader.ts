import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { onClosed, PayloadTooLarge, UnsupportedMediaType, ValidationFailed, withoutSlot } from '@passwright/core';
import type { BodyBudget } from './body-budget.js';

export interface BodyLimits {
  /** The limit of the body, before and after decompression. */
  readonly maxBytes: number;
  /** The caller that the bytes count toward until the response has been sent. */
  readonly holder: string;
}

const decompressors: Record<string, () => Transform> = {
  gzip: createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/** Reads whole bodies within a budget of bytes. */
export class BodyReader {
  constructor(private readonly budget: BodyBudget) {}

  /**
   * Returns a body that has already arrived completely. Returns null for any other body, for a compressed body and for
   * a body over the limit; use `read` for these.
   * @throws RateLimited, NotReady
   */
  readArrived(request: IncomingMessage, response: ServerResponse, { maxBytes, holder }: BodyLimits): Buffer | null {
    const { complete, destroyed, readableFlowing, readableLength } = request;
    if (!complete || destroyed || readableFlowing !== null || readableLength > maxBytes) return null;
    if ((request.headers['content-encoding'] ?? 'identity') !== 'identity') return null;
    this.budget.take(holder, readableLength);
    onClosed(response, () => this.budget.release(holder, readableLength));
    return (request.read() as Buffer | null) ?? Buffer.alloc(0);
  }

  /**
   * Reads the body of a request.
   * @throws PayloadTooLarge as early as possible. @throws UnsupportedMediaType, ValidationFailed, RateLimited, NotReady
   */
  async read(request: IncomingMessage, response: ServerResponse, { maxBytes, holder }: BodyLimits): Promise<Buffer> {
    const decompressor = decompressorFor(request);
    if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw bodyTooLarge(maxBytes);
    const chunks: Buffer[] = [];
    let [size, taken] = [0, 0];
    const take = (bytes: number) => {
      this.budget.take(holder, bytes);
      taken += bytes;
    };
    try {
      // Count the whole limit for a compressed body, because even a small one may inflate to that size.
      if (decompressor) take(maxBytes);
      const collect = (chunk: Buffer) => {
        size += chunk.length;
        if (size > maxBytes) throw bodyTooLarge(maxBytes);
        if (!decompressor) take(chunk.length);
        chunks.push(chunk);
      };
      await withoutSlot(() => receive(request, decompressor, collect));
      this.holdUntilClosed(response, holder, size);
      return Buffer.concat(chunks, size);
    } finally {
      this.budget.release(holder, taken);
    }
  }

  /** Counts the body in the budget until the response closes, because a waiting request keeps its body in memory. */
  private holdUntilClosed(response: ServerResponse, holder: string, bytes: number): void {
    this.budget.hold(holder, bytes);
    onClosed(response, () => this.budget.release(holder, bytes));
  }
}

/**
 * Passes each chunk of a body to `onChunk`. If it stops early, the connection stays open, so that the caller can read
 * the rejection.
 */
function receive(
  request: IncomingMessage,
  decompressor: Transform | null,
  onChunk: (chunk: Buffer) => void,
): Promise<void> {
  const source = decompressor ? request.pipe(decompressor) : request;
  return new Promise<void>((resolve, reject) => {
    const onClose = () => {
      if (!request.readableEnded) reject(new ValidationFailed('the body ended before its Content-Length'));
    };
    source.on('data', (chunk: Buffer) => {
      try {
        onChunk(chunk);
      } catch (rejection) {
        if (rejection instanceof Error) reject(rejection);
      }
    });
    source.once('end', resolve);
    decompressor?.once('error', () =>
      reject(new ValidationFailed('the body cannot be decompressed as its Content-Encoding says')),
    );
    request.on('error', onClose).once('close', onClose);
    if (request.destroyed) onClose();
  }).finally(() => {
    source.removeAllListeners('data');
    if (decompressor) request.unpipe(decompressor).resume();
    else request.resume();
    decompressor?.destroy();
  });
}

/** Returns the transform that inflates a body; null for an uncompressed one. @throws UnsupportedMediaType */
function decompressorFor({ headers }: IncomingMessage): Transform | null {
  const encoding = (headers['content-encoding'] ?? 'identity').toLowerCase();
  if (encoding === 'identity') return null;
  const create = Object.hasOwn(decompressors, encoding) ? decompressors[encoding] : undefined;
  if (!create) throw new UnsupportedMediaType('Content-Encoding must be gzip, deflate or br, or absent.');
  return create();
}

/** Returns the error for a body beyond a route's limit. */
export function bodyTooLarge(maxBytes: number): PayloadTooLarge {
  const size = maxBytes >= 2 ** 20 ? `${maxBytes / 2 ** 20} MiB` : `${maxBytes / 2 ** 10} KiB`;
  return new PayloadTooLarge(`The body is larger than ${size}, the most that this route takes.`);
}
