import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { rootModule } from '@passwright/core';
import { CircuitRow } from '@passwright/jobs';
import { GoogleCallbacksController } from './callbacks/google-callbacks.controller.js';
import { GoogleCallbacksModule } from './callbacks/google-callbacks.module.js';
import { GoogleWalletOptions } from './google-wallet.options.js';
import { GoogleLinksService } from './links/google-links.service.js';
import { GooglePassesController } from './links/google-passes.controller.js';
import { GoogleMessagesModule } from './messages/google-messages.module.js';
import { GoogleProgressController } from './progress/google-progress.controller.js';
import { GoogleProgressRepository } from './progress/google-progress.repository.js';
import { GoogleProgressService } from './progress/google-progress.service.js';
import { GoogleQuotaModule } from './quota/google-quota.module.js';
import { GoogleResourcesModule } from './google-resources.module.js';
import { GoogleAccountDataService } from './sync/google-account-data.service.js';
import { GoogleCircuitBreaker } from './sync/google-circuit-breaker.js';
import { GoogleContentRepository } from './sync/google-content.repository.js';
import { GoogleLinkedObjects } from './sync/google-linked-objects.service.js';
import { GoogleRenderingService } from './sync/google-rendering.service.js';
import { GooglePassListener } from './sync/google-pass.listener.js';
import { GooglePublisher } from './sync/google-publisher.service.js';
import { GoogleResourceRow } from './sync/google-resource.entity.js';
import { GoogleDueCron } from './sync/google-due.cron.js';
import { GoogleSender } from './sync/google-sender.handlers.js';
import { GoogleSyncQueue } from './sync/google-sync-queue.handlers.js';
import { GoogleClockRepairCron } from './sync/google-clock-repair.cron.js';
import { GoogleWriter } from './sync/google-writer.service.js';
import { IssuerUseListener } from './sync/issuer-use.listener.js';
import { MessagePreparation } from './sync/message-preparation.service.js';
import { RestoredGoogleResources } from './sync/restored-google-resources.listener.js';

/**
 * Creates save links, and keeps classes and objects at Google Wallet up to date. Needs `PassesModule`,
 * `TemplatesModule`, `Database`, `Jobs`, `GoogleWallet` and `Clock`.
 */
@Module({
  imports: [
    GoogleCallbacksModule,
    GoogleMessagesModule,
    GoogleQuotaModule,
    GoogleResourcesModule,
    TypeOrmModule.forFeature([GoogleResourceRow, CircuitRow]),
  ],
  providers: [
    GoogleLinksService,
    GoogleProgressService,
    GoogleProgressRepository,
    GooglePassListener,
    IssuerUseListener,
    GoogleSyncQueue,
    GoogleSender,
    GoogleDueCron,
    GooglePublisher,
    GoogleWriter,
    MessagePreparation,
    GoogleRenderingService,
    GoogleContentRepository,
    GoogleLinkedObjects,
    GoogleCircuitBreaker,
    GoogleClockRepairCron,
    RestoredGoogleResources,
    GoogleAccountDataService,
  ],
  exports: [GoogleCallbacksModule, GoogleLinksService, GoogleProgressService, GoogleQuotaModule],
})
export class GoogleWalletModule extends rootModule(GoogleWalletOptions, [
  GooglePassesController,
  GoogleCallbacksController,
  GoogleProgressController,
]) {}
