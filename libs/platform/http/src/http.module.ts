import { Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_PIPE, DiscoveryModule } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { bodyValidation, rootModule } from '@passwright/core';
import { MediaTypeGuard } from './response/media-type.guard.js';
import { AppErrorFilter } from './errors/app-error.filter.js';
import { FairShareGuard } from './fair-share/fair-share.guard.js';
import { HttpCleanupCron } from './http-cleanup.cron.js';
import { HttpOptions } from './http.options.js';
import { IdempotencyKey } from './idempotency/idempotency-key.entity.js';
import { IdempotencyInterceptor } from './idempotency/idempotency.interceptor.js';
import { IdempotencyRepository } from './idempotency/idempotency.repository.js';
import { StoredResponseEncryptionService } from './idempotency/stored-response-encryption.service.js';
import { StoredResponseErasureRepository } from './idempotency/stored-response-erasure.repository.js';
import { StoredResponsesListener } from './idempotency/stored-responses.listener.js';
import { RateLimitGuard } from './rate-limit/rate-limit.guard.js';
import { BodyInterceptor } from './request/body.interceptor.js';
import { ConnectionDrainService } from './request/connection-drain.service.js';

/**
 * Applies the conventions to every route: error body, validation, media types, entity tags, idempotency keys. Also call
 * `applyHttpConventions(app)`. The app puts `FairShareGuard` before its authentication and `RateLimitGuard` after it.
 */
@Module({
  imports: [DiscoveryModule, TypeOrmModule.forFeature([IdempotencyKey])],
  providers: [
    IdempotencyRepository,
    StoredResponseEncryptionService,
    StoredResponseErasureRepository,
    HttpCleanupCron,
    StoredResponsesListener,
    FairShareGuard,
    RateLimitGuard,
    ConnectionDrainService,
    { provide: APP_FILTER, useClass: AppErrorFilter },
    { provide: APP_PIPE, useValue: bodyValidation },
    { provide: APP_GUARD, useClass: MediaTypeGuard },
    BodyInterceptor,
    IdempotencyInterceptor,
  ],
  exports: [
    IdempotencyRepository,
    StoredResponseEncryptionService,
    StoredResponseErasureRepository,
    FairShareGuard,
    RateLimitGuard,
  ],
})
export class HttpModule extends rootModule(HttpOptions) {}
