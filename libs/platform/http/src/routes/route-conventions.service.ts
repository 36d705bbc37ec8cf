import { Inject, Injectable, Optional, type CanActivate, type ExceptionFilter } from '@nestjs/common';
import { RouteAuthentication, RouteConventions } from '@passwright/core';
import { AppErrorFilter } from '../errors/app-error.filter.js';
import { FairShareGuard } from '../fair-share/fair-share.guard.js';
import { HttpOptions } from '../http.options.js';
import { IdempotencyInterceptor } from '../idempotency/idempotency.interceptor.js';
import { RateLimitGuard } from '../rate-limit/rate-limit.guard.js';
import { BodyService } from '../request/body.service.js';
import { MediaTypeGuard } from '../request/media-type.guard.js';
import { privateReads } from '../response/private-reads.js';
import { GivenPrincipalAuthentication } from './given-principal.authentication.js';
import { GuardChain } from './guard-chain.js';
import { GuestRequestsService } from './guest-requests.service.js';
import { ignoredQueries } from './ignored-query.js';

/**
 * Runs the guards of every route. They take a slot for the request, identify the caller, count the request, and check
 * the type of the body.
 */
@Injectable()
export class RouteGuards {
  readonly inOrder: readonly [FairShareGuard, RouteAuthentication, RateLimitGuard, MediaTypeGuard];

  constructor(
    fairShare: FairShareGuard,
    rateLimit: RateLimitGuard,
    mediaType: MediaTypeGuard,
    @Optional() @Inject(RouteAuthentication) authentication: RouteAuthentication | null = null,
  ) {
    this.inOrder = [fairShare, authentication ?? new GivenPrincipalAuthentication(), rateLimit, mediaType];
  }
}

/** Implements the conventions for the routes that follow them. */
@Injectable()
export class RouteConventionsService extends RouteConventions {
  readonly guard: CanActivate;
  readonly filter: ExceptionFilter;

  constructor(
    { errorHelpUrl, errorFilter = new AppErrorFilter(errorHelpUrl) }: HttpOptions,
    guest: GuestRequestsService,
    guards: RouteGuards,
    readonly body: BodyService,
    readonly keys: IdempotencyInterceptor,
  ) {
    super();
    this.filter = errorFilter;
    this.guard = new GuardChain([guest, ...guards.inOrder, ignoredQueries, privateReads]);
  }
}
