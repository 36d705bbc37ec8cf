import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Logger } from '@nestjs/common';
import { AppError } from '../errors/app-error.js';
import { loggedError } from '../errors/logged-error.js';
import { AccessWatch } from './access-watch.js';
import type { AuthenticatedRequest } from './principal.js';
import { withSlot } from './request-origin.js';

const logger = new Logger('Answer');

/**
 * Sends a JSON text part by part with constant memory. Takes the request's slot again for each part after the first.
 * Throws if it fails before the first part. Later, a failure or a revoked or expired credential cuts the response off
 * within seconds.
 */
export async function sendParts(
  request: AuthenticatedRequest,
  response: ServerResponse,
  parts: AsyncGenerator<string>,
  headers: Readonly<Record<string, string>> = {},
): Promise<void> {
  const first = await parts.next();
  response.writeHead(200, {
    'Content-Type': 'application/json; charset=utf-8',
    'Cache-Control': 'no-store',
    ...headers,
  });
  response.write(first.done ? '' : first.value);
  const access = new AccessWatch(request);
  try {
    await access.until(pipeline(Readable.from(inSlots(parts)), response));
  } catch (error) {
    const isExpected = error instanceof AppError || isGone(error);
    if (!isExpected) logger.error({ msg: 'A response broke off', err: loggedError(error) });
    response.destroy();
  } finally {
    access.stop();
  }
}

async function* inSlots(parts: AsyncGenerator<string>): AsyncGenerator<string> {
  try {
    for (;;) {
      const part = await withSlot(() => parts.next());
      if (part.done) return;
      yield part.value;
    }
  } finally {
    await parts.return(undefined);
  }
}

/** Returns true when the client has closed the connection. */
function isGone(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE';
}
