import { raw, type Request, type RequestHandler, type Response } from 'express';
import type { BodyBudget } from './body-budget.js';
import { bodyRefusal, bodyTooLarge } from './body-refusal.js';

interface BodyLimits {
  /** Also when inflated. */
  readonly maxBytes: number;
  /** Whom the bytes count for while they arrive. */
  readonly holder: string;
}

/** Reads whole bodies within a budget of bytes. */
export class BodyReader {
  private readonly handlers = new Map<number, RequestHandler>();

  constructor(private readonly budget: BodyBudget) {}

  /** @throws PayloadTooLarge as soon as it is known. @throws UnsupportedMediaType, ValidationFailed, RateLimited, NotReady */
  async read(request: Request, response: Response, { maxBytes, holder }: BodyLimits): Promise<Buffer> {
    if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw bodyTooLarge(maxBytes);
    let taken = 0;
    const take = (bytes: number) => {
      this.budget.take(holder, bytes);
      taken += bytes;
    };
    try {
      // A little that is compressed may inflate to the limit before it ends.
      if (request.headers['content-encoding'] !== undefined) take(maxBytes);
      return await this.receive(request, response, maxBytes, (chunk) => {
        if (request.headers['content-encoding'] !== undefined) return;
        if (taken + chunk.length > maxBytes) throw bodyTooLarge(maxBytes);
        take(chunk.length);
      });
    } finally {
      this.budget.release(holder, taken);
    }
  }

  private receive(
    request: Request,
    response: Response,
    maxBytes: number,
    count: (chunk: Buffer) => void,
  ): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      const onData = (chunk: Buffer) => {
        try {
          count(chunk);
        } catch (refusal) {
          // The parser would go on collecting what still comes.
          request.removeAllListeners('data').resume();
          reject(bodyRefusal(refusal, maxBytes));
        }
      };
      void this.handler(maxBytes)(request, response, (error?: unknown) => {
        request.removeListener('data', onData);
        if (error) reject(bodyRefusal(error, maxBytes));
        else resolve(request.body as Buffer);
      });
      request.on('data', onData);
    });
  }

  private handler(maxBytes: number): RequestHandler {
    const handler = this.handlers.get(maxBytes) ?? raw({ limit: maxBytes, type: () => true });
    this.handlers.set(maxBytes, handler);
    return handler;
  }
}
