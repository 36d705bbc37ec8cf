import { AsyncLocalStorage } from 'node:async_hooks';
import type { Principal } from './principal.js';
import type { RequestPlace } from './request-place.js';

/** Where what is being done comes from. */
export interface RequestOrigin {
  /** The caller's address, as `request.ip`. */
  readonly ip: string | undefined;
  readonly requestId: string;
  /** What the caller's program calls itself: `userAgentOf` its header. Absent when it does not say. */
  readonly userAgent?: string;
  /** Aborts when the client closes the connection before the response is complete. */
  readonly gone?: AbortSignal;
  /** Set by the guard; absent on public routes. */
  principal?: Principal;
  /** The share that the request counts for, by `AccountsService.shareOf`; set by the guard, absent on public routes. */
  share?: string;
  /** Set by the guard that shares the node out; absent where nothing does. */
  place?: RequestPlace;
}

const MAX_USER_AGENT = 200;

/** A `User-Agent` header as it is kept and shown: one line, its first 200 characters. */
export function userAgentOf(header: string | undefined): string | undefined {
  const text = header
    ?.slice(0, MAX_USER_AGENT)
    .replace(/\p{Cc}/gu, ' ')
    .trim();
  return text === '' ? undefined : text;
}

const origins = new AsyncLocalStorage<RequestOrigin>();

/** Runs `work`, and all that it starts, as part of a request. */
export function inRequestOf<T>(origin: RequestOrigin, work: () => T): T {
  return origins.run(origin, work);
}

/** The request this is done for; undefined in jobs and command lines. */
export function requestOrigin(): RequestOrigin | undefined {
  return origins.getStore();
}

/**
 * Runs what waits for others (a body, an event, a turn) without the request's place. Call it before the request has
 * changed anything, as the request may be refused afterwards. @throws RateLimited, NotReady
 */
export function withoutPlace<T>(wait: () => Promise<T>): Promise<T> {
  const place = requestOrigin()?.place;
  return place ? place.lend(wait) : wait();
}

/** Runs a part of the work of an answer that has begun in a place of its request's share. @throws RateLimited, NotReady */
export function withPlace<T>(task: () => Promise<T>): Promise<T> {
  const place = requestOrigin()?.place;
  return place ? place.within(task) : task();
}
