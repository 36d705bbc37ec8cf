import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { rootModule } from '@passwright/core';
import { PassBatchesController } from './batches/pass-batches.controller.js';
import { PassBatchesService } from './batches/pass-batches.service.js';
import { DeletedPassesCron } from './passes/deleted-passes.cron.js';
import { DeletedPassesRepository } from './passes/deleted-passes.repository.js';
import { DeletedPass } from './passes/deleted-pass.entity.js';
import { PassListsRepository } from './passes/pass-lists.repository.js';
import { PassImageListener } from './passes/pass-image.listener.js';
import { PassTemplateListener } from './passes/pass-template.listener.js';
import { PassUsageListener } from './passes/pass-usage.listener.js';
import { PassTrail } from './passes/pass-trail.js';
import { PassWriter } from './passes/pass-writer.js';
import { DependentPasses } from './passes/dependent-passes.js';
import { PassTransitionsController } from './passes/pass-transitions.controller.js';
import { PassTransitionsService } from './passes/pass-transitions.service.js';
import { PassUpdateOrder } from './passes/pass-update-order.entity.js';
import { Pass } from './passes/pass.entity.js';
import { PassesController } from './passes/passes.controller.js';
import { PassesOptions } from './passes.options.js';
import { PassesRepository } from './passes/passes.repository.js';
import { PassesService } from './passes/passes.service.js';
import { PassAccountDataService } from './passes/pass-account-data.service.js';
import { IssuedPassesService } from './passes/issued-passes.service.js';
import { PassChangeNotifier } from './listeners/pass-change-notifier.service.js';
import { TemplateChangesHandlers } from './listeners/template-changes.handlers.js';
import { PassExpiryCron } from './expiry/pass-expiry.cron.js';
import { PassExpiryRepository } from './expiry/pass-expiry.repository.js';
import { WalletPassesModule } from './wallets/wallet-passes.module.js';

/**
 * Passes and their states. Needs `AccountsModule`, `TemplatesModule`, `Database`, `Jobs`, `Signer`, `BlobStorage` and
 * `Clock`.
 */
@Module({
  imports: [DiscoveryModule, WalletPassesModule, TypeOrmModule.forFeature([Pass, PassUpdateOrder, DeletedPass])],
  providers: [
    PassesService,
    PassTransitionsService,
    PassBatchesService,
    DependentPasses,
    IssuedPassesService,
    PassWriter,
    PassTrail,
    PassChangeNotifier,
    TemplateChangesHandlers,
    PassTemplateListener,
    PassImageListener,
    PassUsageListener,
    PassesRepository,
    PassListsRepository,
    PassExpiryCron,
    PassExpiryRepository,
    DeletedPassesCron,
    DeletedPassesRepository,
    PassAccountDataService,
  ],
  exports: [
    WalletPassesModule,
    PassesService,
    PassTransitionsService,
    DependentPasses,
    IssuedPassesService,
    PassChangeNotifier,
  ],
})
export class PassesModule extends rootModule(PassesOptions, [
  PassBatchesController,
  PassTransitionsController,
  PassesController,
]) {}
