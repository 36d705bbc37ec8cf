import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import {
  ACCESS,
  ConcurrencyLimiter,
  NotReady,
  onClosed,
  RateLimited,
  requestOrigin,
  RequestSlot,
  type Access,
  type AuthenticatedRequest,
  type RequestOrigin,
} from '@passwright/core';
import type { NextFunction, Request, Response } from 'express';
import { HttpOptions } from '../http.options.js';
import { addressKey, callerKey } from '../rate-limit/caller-key.js';
import { EventLoopLoad } from './event-loop-load.js';
import { RequestScheduler } from './request-scheduler.js';

const DEFAULT_SLOTS = 20;
const MAX_WAITING_PER_SHARE = 500;
const MAX_WAITING = 5000;
/** The longest time that a request waits for its slot. It equals the longest wait for a database connection. */
const MAX_WAIT_MS = 5000;
/** How long a rejection is delayed, so that callers that retry immediately do not keep the node busy. */
const REJECTION_MS = 3000;
const KNOWN_CREDENTIALS = 20_000;

/** The caller of a request, before it is authenticated. */
interface Caller {
  /** A hash of the credential; null without one. */
  readonly credential: string | null;
  /** The tenant that the request counts toward. */
  readonly share: string;
}

/**
 * Shares a node fairly among its callers. The node works on a fixed number of requests at once. One caller may use half
 * of these slots, or a quarter while other callers are active. If the event loop is also busy, a caller with short
 * requests runs one at a time. A request holds its slot until its response begins; `withoutSlot` releases the slot
 * while the request waits. Put this guard before the guard that authenticates. A credential that was valid before counts
 * toward its account; any other request counts toward its address. Routes with `@Public({ unlimited: true })` take no
 * slot.
 * @throws RateLimited for a caller with too many waiting requests.
 * @throws NotReady after five seconds
 */
@Injectable()
export class FairShareGuard implements CanActivate {
  private readonly limiter: ConcurrencyLimiter;
  private readonly load = new EventLoopLoad();
  private readonly turns = new RequestScheduler(MAX_WAIT_MS);
  /** The tenants of credentials that were valid before, by credential hash. */
  private readonly shares = new Map<string, string>();
  private readonly callers = new WeakMap<Request, Caller>();

  constructor(
    { requestsAtOnce = DEFAULT_SLOTS }: HttpOptions,
    private readonly reflector: Reflector,
  ) {
    this.limiter = new ConcurrencyLimiter({
      width: requestsAtOnce,
      widthBesideOthers: Math.max(2, Math.ceil(requestsAtOnce / 4)),
      isBusy: () => this.load.isBusy(),
      maxWaitingPerKey: MAX_WAITING_PER_SHARE,
      maxWaiting: MAX_WAITING,
      maxWaitMs: MAX_WAIT_MS,
      rejection: 'Too many of your requests are waiting at the same time; send fewer at once.',
    });
  }

  /** Starts waiting requests in successive turns of the event loop, alternating between callers. */
  takeTurn(request: Request, response: Response, next: NextFunction): void {
    // Do not continue if the client has disconnected meanwhile, because no later event would end the request.
    const goOn = (error?: Error) => {
      if (!request.destroyed && !response.destroyed) next(error);
    };
    const reject = () =>
      goOn(new NotReady('This node has been busy for too long to begin with this request in time; try again.'));
    this.turns.take(this.callerOf(request).share, () => goOn(), reject);
  }

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const access = this.reflector.get<Access | undefined>(ACCESS, context.getHandler());
    if (access?.kind === 'public' && access.unlimited) return true;
    const request = context.switchToHttp().getRequest<Request & AuthenticatedRequest>();
    const response = context.switchToHttp().getResponse<Response>();
    const { credential, share } = this.callerOf(request);
    const origin = requestOrigin();
    const slot = new RequestSlot(this.limiter, share, origin);
    onResponse(response, () => {
      slot.leave();
      if (credential === null) return;
      // Forget a credential that was revoked or has expired.
      if (!request.principal && response.statusCode === 401) this.shares.delete(credential);
      if (!request.principal) return;
      this.remember(credential, callerKey(request));
      if (share !== callerKey(request)) this.limiter.forget(share);
    });
    if (origin) origin.slot = slot;
    return slot.takeNow() || this.take(slot, share, origin);
  }

  private async take(slot: RequestSlot, share: string, origin?: RequestOrigin): Promise<true> {
    try {
      await slot.take();
      return true;
    } catch (error) {
      if (error instanceof RateLimited) {
        await pause(REJECTION_MS, undefined, { signal: origin?.gone }).catch(() => undefined);
      }
      // Spread rejections over several turns, because hundreds may be due at the same time.
      await new Promise<void>((resolve) => this.turns.take(`rejected ${share}`, resolve));
      throw error;
    }
  }

  private remember(credential: string, share: string): void {
    this.shares.delete(credential);
    const [oldest] = this.shares.keys();
    if (oldest !== undefined && this.shares.size >= KNOWN_CREDENTIALS) this.shares.delete(oldest);
    this.shares.set(credential, share);
  }

  /** Returns the caller of a request, as far as it is known before authentication. */
  private callerOf(request: Request & AuthenticatedRequest): Caller {
    const known = this.callers.get(request);
    if (known) return known;
    const credential = credentialOf(request);
    const tenant = credential === null ? undefined : this.shares.get(credential);
    // Use the principal if a guard of the app has already set it.
    const caller = { credential, share: request.principal ? callerKey(request) : (tenant ?? addressKey(request)) };
    this.callers.set(request, caller);
    return caller;
  }
}

function credentialOf({ headers }: Request): string | null {
  return headers.authorization === undefined
    ? null
    : createHash('sha256').update(headers.authorization).digest('base64');
}

/** Calls `listener` when the response begins or the client disconnects. */
function onResponse(response: ServerResponse, listener: () => void): void {
  const writeHead = response.writeHead.bind(response) as (...head: unknown[]) => ServerResponse;
  response.writeHead = (...head: unknown[]) => {
    listener();
    return writeHead(...head);
  };
  onClosed(response, listener);
}
