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

/** Lets a body take any time, as long as there is no pause of more than `idleMs`. */
export function allowSlowBody(request: IncomingMessage, idleMs: number): void {
  clearTimeout(timers.get(request));
  request.setTimeout(idleMs, () => giveUp(request));
}

function giveUp(request: IncomingMessage): void {
  const error = Object.assign(new Error('The body did not arrive in time'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
  const { server } = request.socket as Socket & { server?: Server };
  if (!server?.emit('clientError', error, request.socket)) request.socket.destroy();
}
