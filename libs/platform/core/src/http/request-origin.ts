import { AsyncLocalStorage } from 'node:async_hooks';
import type { Cancellation } from '../cancellation.js';
import { clientAddress } from './client-address.js';
import type { Principal } from './principal.js';
import type { RequestSlot } from './request-slot.js';

/** The request that an action belongs to. */
export interface RequestOrigin {
  /** The caller's address from `request.ip`. */
  readonly ip: string | undefined;
  readonly requestId: string;
  /** The name of the caller's program, as `userAgentOf` returns it. Undefined when the header is missing. */
  readonly userAgent?: string | undefined;
  /** Aborts when the client closes the connection before the response is complete. */
  readonly gone?: AbortSignal | undefined;
  /** Cancels the wait for a slot at the same time as `gone`. */
  readonly departure?: Cancellation | undefined;
  /** The caller. The guard sets it; it is absent on public routes. */
  principal?: Principal;
  /**
   * The tenant toward which the request counts, from `AccountsService.shareOf`. Set by the guard; absent on public
   * routes.
   */
  share?: string;
  /**
   * The request's slot in the limit of concurrent requests of this node. Absent without the guard that applies this
   * limit.
   */
  slot?: RequestSlot;
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
 * Returns the key of the current work for a `ConcurrencyLimiter`: the tenant of the request, or the caller's address
 * before log-in. All jobs share one key.
 */
export function currentShare(): string {
  const origin = requestOrigin();
  return origin ? (origin.share ?? clientAddress(origin.ip)) : 'jobs';
}

/**
 * Gives the slot of the request, or of its `withSlot` task, back during a wait, for example for a body, and then takes a
 * slot again. Call it before the request or the task changes anything.
 * @throws RateLimited, NotReady if no slot becomes free
 */
export function withoutSlot<T>(wait: () => Promise<T>): Promise<T> {
  const slot = requestOrigin()?.slot;
  return slot ? slot.lend(wait) : wait();
}

/**
 * Runs a task for a response that has begun. The task occupies a slot of the request's tenant.
 * @param options.isLong see `RequestSlot.within`. @throws RateLimited, NotReady
 */
export function withSlot<T>(task: () => Promise<T>, options?: { readonly isLong: boolean }): Promise<T> {
  const slot = requestOrigin()?.slot;
  return slot ? slot.within(task, options) : task();
}

/** Returns true if other tenants are active. Long work of this request should then be done in small parts. */
export function isBesideOthers(): boolean {
  return requestOrigin()?.slot?.isBesideOthers() ?? false;
}
