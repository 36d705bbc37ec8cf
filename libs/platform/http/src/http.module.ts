import { Module, type NestModule, type OnModuleInit } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { rootModule, RouteConventions } from '@passwright/core';
import { MediaTypeGuard } from './request/media-type.guard.js';
import { FairShareGuard } from './fair-share/fair-share.guard.js';
import { HttpOptions } from './http.options.js';
import { IdempotencyKey } from './idempotency/idempotency-key.entity.js';
import { IdempotencyKeysCron } from './idempotency/idempotency-keys.cron.js';
import { IdempotencyInterceptor } from './idempotency/idempotency.interceptor.js';
import { IdempotencyRepository } from './idempotency/idempotency.repository.js';
import { StoredResponseEncryptionService } from './idempotency/stored-response-encryption.service.js';
import { StoredResponseErasureRepository } from './idempotency/stored-response-erasure.repository.js';
import { StoredResponsesListener } from './idempotency/stored-responses.listener.js';
import { RateLimitGuard } from './rate-limit/rate-limit.guard.js';
import { RateLimitsCron } from './rate-limit/rate-limits.cron.js';
import { BodyService } from './request/body.service.js';
import { ConnectionDrainService } from './request/connection-drain.service.js';
import { GuestRequestsService } from './routes/guest-requests.service.js';
import { RouteConventionsService, RouteGuards } from './routes/route-conventions.service.js';

/**
 * Implements the conventions of Passwright's routes: access, limits, error body, validation, media types, entity tags
 * and idempotency keys. The app's other routes do not change, unless the app calls `applyHttpConventions(app)`.
 */
@Module({
  imports: [DiscoveryModule, TypeOrmModule.forFeature([IdempotencyKey])],
  providers: [
    IdempotencyRepository,
    StoredResponseEncryptionService,
    StoredResponseErasureRepository,
    IdempotencyKeysCron,
    RateLimitsCron,
    StoredResponsesListener,
    FairShareGuard,
    RateLimitGuard,
    MediaTypeGuard,
    ConnectionDrainService,
    BodyService,
    IdempotencyInterceptor,
    GuestRequestsService,
    RouteGuards,
    { provide: RouteConventions, useClass: RouteConventionsService },
  ],
  exports: [
    IdempotencyRepository,
    StoredResponseEncryptionService,
    StoredResponseErasureRepository,
    FairShareGuard,
    RateLimitGuard,
    MediaTypeGuard,
    BodyService,
    IdempotencyInterceptor,
    RouteConventions,
  ],
})
export class HttpModule extends rootModule(HttpOptions) implements NestModule, OnModuleInit {
  constructor(private readonly guest: GuestRequestsService) {
    super();
  }

  configure(): void {
    this.guest.prepare();
  }

  onModuleInit(): void {
    this.guest.check();
  }
}
