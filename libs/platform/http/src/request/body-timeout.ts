import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { NextFunction, Request, Response } from 'express';
import { hasBody } from './media-type.js';
import { BODY_MS } from './request-timeouts.js';

const PERIOD_MS = 20_000;
const MIN_BYTES_A_PERIOD = 20 * 1024;
const LINGER_MS = 5_000;
const timers = new WeakMap<IncomingMessage, NodeJS.Timeout>();

/**
 * Ends a request with 408 if its body does not arrive in time: at least 1 KiB per second while the service reads it,
 * and everything within two minutes. `allowSlowBody` exempts a request.
 */
export function limitBodyTime(request: Request, response: Response, next: NextFunction): void {
  if (hasBody(request)) {
    let [periods, bytesBefore] = [0, request.socket.bytesRead];
    const timer = setInterval(() => {
      const { bytesRead } = request.socket;
      const isSlow = request.readableFlowing === true && bytesRead - bytesBefore < MIN_BYTES_A_PERIOD;
      if (isSlow || ++periods * PERIOD_MS >= BODY_MS) giveUp(request);
      bytesBefore = bytesRead;
    }, PERIOD_MS).unref();
    timers.set(request, timer);
    for (const event of ['end', 'close', 'error'] as const) request.once(event, () => clearInterval(timer));
    response.once('finish', () => discardBody(request, LINGER_MS));
  }
  next();
}

/** Exempts a body from the time limits, because its reader limits each pause. */
export function allowSlowBody(request: IncomingMessage): void {
  clearInterval(timers.get(request));
}

/** Waits for data of a body. Ends the request with 408 if none arrives within `idleMs`. */
export async function withinIdleTime<T>(request: IncomingMessage, idleMs: number, arrival: Promise<T>): Promise<T> {
  const timer = setTimeout(() => giveUp(request), idleMs).unref();
  return arrival.finally(() => clearTimeout(timer));
}

/** Reads and discards the rest of a body for a moment, so that the client can read the response. */
export function discardBody(request: IncomingMessage, forMs: number): void {
  if (request.complete) return;
  request.unpipe();
  request.removeAllListeners('readable');
  // Resume on the next tick, because Node pauses a body without a reader before that tick.
  process.nextTick(() => request.resume());
  const timer = setTimeout(() => {
    if (!request.complete) request.destroy();
  }, forMs).unref();
  request.once('close', () => clearTimeout(timer));
}

function giveUp(request: IncomingMessage): void {
  // Ignore a body that has arrived completely and waits to be read.
  if (request.complete) return;
  const error = Object.assign(new Error('The body did not arrive in time'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
  const { server } = request.socket as Socket & { server?: Server };
  if (!server?.emit('clientError', error, request.socket)) request.socket.destroy();
}
