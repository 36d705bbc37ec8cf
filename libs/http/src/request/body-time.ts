import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { NextFunction, Request, Response } from 'express';
import { hasBody } from './media-type.js';

/** For the slowest honest upload of 25 MiB: five images of 5 MiB at 2 Mbit/s. */
const BODY_MS = 120_000;
const timers = new WeakMap<IncomingMessage, NodeJS.Timeout>();

/** Ends requests whose body does not arrive in time with 408, unless their route takes as long as it likes. */
export function limitBodyTime(request: Request, _response: Response, next: NextFunction): void {
  if (hasBody(request)) {
    const timer = setTimeout(() => giveUp(request), BODY_MS).unref();
    timers.set(request, timer);
    for (const event of ['end', 'close', 'error'] as const) request.once(event, () => clearTimeout(timer));
  }
  next();
}

/** Lets a body take any time: who reads it decides how long it waits. */
export function allowSlowBody(request: IncomingMessage): void {
  clearTimeout(timers.get(request));
}

/** Waits for something that a body brings, and ends the request with 408 when that takes longer than `idleMs`. */
export async function withinIdleTime<T>(request: IncomingMessage, idleMs: number, arrival: Promise<T>): Promise<T> {
  const timer = setTimeout(() => giveUp(request), idleMs).unref();
  return arrival.finally(() => clearTimeout(timer));
}

/** Throws away what is still to come of a body nobody reads any more, for a moment, so that the client gets to read the answer. */
export function discardBody(request: IncomingMessage, forMs: number): void {
  if (request.complete) return;
  request.unpipe();
  request.removeAllListeners('readable');
  request.resume();
  const timer = setTimeout(() => request.destroy(), forMs).unref();
  request.once('close', () => clearTimeout(timer));
}

function giveUp(request: IncomingMessage): void {
  // It has arrived, and waits to be read.
  if (request.complete) return;
  const error = Object.assign(new Error('The body did not arrive in time'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
  const { server } = request.socket as Socket & { server?: Server };
  if (!server?.emit('clientError', error, request.socket)) request.socket.destroy();
}
