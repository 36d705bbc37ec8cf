import { AsyncLocalStorage } from 'node:async_hooks';
import type { Cancellation } from '../cancellation.js';
import { clientAddress } from './client-address.js';
import type { Principal } from './principal.js';
import type { RequestPlace } from './request-place.js';

/** The request that an action belongs to. */
export interface RequestOrigin {
  /** The caller's address from `request.ip`. */
  readonly ip: string | undefined;
  readonly requestId: string;
  /** The name of the caller's program, as `userAgentOf` returns it. Undefined when the header is missing. */
  readonly userAgent?: string | undefined;
  /** Aborts when the client closes the connection before the response is complete. */
  readonly gone?: AbortSignal | undefined;
  /** Cancels at the same time as `gone`, for a request that waits for its place. */
  readonly departure?: Cancellation | undefined;
  /** The caller. The guard sets it; it is absent on public routes. */
  principal?: Principal;
  /**
   * The tenant whose share the request counts toward, from `AccountsService.shareOf`. Set by the guard; absent on
   * public routes.
   */
  share?: string;
  /**
   * The request's place among the concurrent requests of this node. The guard that limits them sets it; it is absent
   * without that guard.
   */
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

/** Returns the request that started the current work; undefined in jobs and command-line programs. */
export function requestOrigin(): RequestOrigin | undefined {
  return origins.getStore();
}

/**
 * Returns the tenant of the current work for a `ConcurrencyLimiter`: that of the request, or the caller's address
 * before log-in. Jobs of all tenants count as one.
 */
export function currentShare(): string {
  const origin = requestOrigin();
  return origin ? (origin.share ?? clientAddress(origin.ip)) : 'jobs';
}

/**
 * Gives the place of a request back while the request waits for a body, an event or a turn. Call it before the request
 * changes anything, because the request may be rejected after the wait. @throws RateLimited, NotReady
 */
export function withoutPlace<T>(wait: () => Promise<T>): Promise<T> {
  const place = requestOrigin()?.place;
  return place ? place.lend(wait) : wait();
}

/**
 * Runs a task for a response that has begun. The task occupies a place of the request's tenant.
 * @param options.isLong see `RequestPlace.within`. @throws RateLimited, NotReady
 */
export function withPlace<T>(task: () => Promise<T>, options?: { readonly isLong: boolean }): Promise<T> {
  const place = requestOrigin()?.place;
  return place ? place.within(task, options) : task();
}

/** Returns true if other tenants are active. Long work of this request should then be done in small parts. */
export function isBesideOthers(): boolean {
  return requestOrigin()?.place?.isBesideOthers() ?? false;
}
