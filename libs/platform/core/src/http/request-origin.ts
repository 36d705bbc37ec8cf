import { AsyncLocalStorage } from 'node:async_hooks';
import type { Principal } from './principal.js';
import type { RequestPlace } from './request-place.js';

/** The origin of an action. */
export interface RequestOrigin {
  /** The caller's address from `request.ip`. */
  readonly ip: string | undefined;
  readonly requestId: string;
  /** The name of the caller's program: `userAgentOf` its header. Absent when the header is missing. */
  readonly userAgent?: string;
  /** Aborts when the client closes the connection before the response is complete. */
  readonly gone?: AbortSignal;
  /** Set by the guard; absent on public routes. */
  principal?: Principal;
  /** The share that the request counts for, by `AccountsService.shareOf`. Set by the guard; absent on public routes. */
  share?: string;
  /** Set by the guard that limits concurrent requests; absent without one. */
  place?: RequestPlace;
}

const MAX_USER_AGENT = 200;

/** Returns the form in which a `User-Agent` header is stored and shown: one line, at most 200 characters. */
export function userAgentOf(header: string | undefined): string | undefined {
  const text = header
    ?.slice(0, MAX_USER_AGENT)
    .replace(/\p{Cc}/gu, ' ')
    .trim();
  return text === '' ? undefined : text;
}

const origins = new AsyncLocalStorage<RequestOrigin>();

/** Runs `work`, and everything that it starts, as part of a request. */
export function inRequestOf<T>(origin: RequestOrigin, work: () => T): T {
  return origins.run(origin, work);
}

/** Returns the request that caused the current work; undefined in jobs and command lines. */
export function requestOrigin(): RequestOrigin | undefined {
  return origins.getStore();
}

/**
 * Waits (for a body, an event, a turn) without the request's place. Call it before the request has changed anything,
 * because the request may be rejected afterwards. @throws RateLimited, NotReady
 */
export function withoutPlace<T>(wait: () => Promise<T>): Promise<T> {
  const place = requestOrigin()?.place;
  return place ? place.lend(wait) : wait();
}

/** Runs a part of a started response in a place of its request's share. @throws RateLimited, NotReady */
export function withPlace<T>(task: () => Promise<T>): Promise<T> {
  const place = requestOrigin()?.place;
  return place ? place.within(task) : task();
}
