import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { rootModule } from '@passwright/core';
import { PassBatchesController } from './batches/pass-batches.controller.js';
import { PassBatchesService } from './batches/pass-batches.service.js';
import { DeletedPassesCron } from './deletion/deleted-passes.cron.js';
import { DeletedPassesRepository } from './deletion/deleted-passes.repository.js';
import { DeletedPass } from './deletion/deleted-pass.entity.js';
import { PassMessagesModule } from './messages/pass-messages.module.js';
import { PassListsRepository } from './lists/pass-lists.repository.js';
import { PassImageListener } from './images/pass-image.listener.js';
import { PassTemplateListener } from './templates/pass-template.listener.js';
import { PassUsageListener } from './usage/pass-usage.listener.js';
import { PassAuditLog } from './passes/pass-audit-log.service.js';
import { PassWriter } from './passes/pass-writer.service.js';
import { ManagedPassesRepository } from './managed/managed-passes.repository.js';
import { ManagedPassesService } from './managed/managed-passes.service.js';
import { PassTransitionsController } from './transitions/pass-transitions.controller.js';
import { PassTransitionsService } from './transitions/pass-transitions.service.js';
import { PassUpdateOrder } from './lists/pass-update-order.entity.js';
import { Pass } from './content/pass.entity.js';
import { PassesController } from './passes/passes.controller.js';
import { PassesOptions } from './passes.options.js';
import { PassesRepository } from './passes/passes.repository.js';
import { NewPassesService } from './passes/new-passes.service.js';
import { PassesService } from './passes/passes.service.js';
import { PassAccountDataService } from './passes/pass-account-data.service.js';
import { IssuedPassesService } from './passes/issued-passes.service.js';
import { TemplateChangesHandlers } from './templates/template-changes.handlers.js';
import { PassExpiryModule } from './expiry/pass-expiry.module.js';
import { WalletPassesModule } from './wallets/wallet-passes.module.js';

/**
 * Issues, lists, changes, voids, redeems and deletes passes. Needs `AccountsModule`, `TemplatesModule`, `Database`,
 * `Jobs`, `BlobStorage` and `Clock`.
 */
@Module({
  imports: [
    WalletPassesModule,
    PassMessagesModule,
    PassExpiryModule,
    TypeOrmModule.forFeature([Pass, PassUpdateOrder, DeletedPass]),
  ],
  providers: [
    PassesService,
    NewPassesService,
    PassTransitionsService,
    PassBatchesService,
    ManagedPassesService,
    ManagedPassesRepository,
    IssuedPassesService,
    PassWriter,
    PassAuditLog,
    TemplateChangesHandlers,
    PassTemplateListener,
    PassImageListener,
    PassUsageListener,
    PassesRepository,
    PassListsRepository,
    DeletedPassesCron,
    DeletedPassesRepository,
    PassAccountDataService,
  ],
  exports: [
    WalletPassesModule,
    PassMessagesModule,
    PassesService,
    PassTransitionsService,
    ManagedPassesService,
    IssuedPassesService,
  ],
})
export class PassesModule extends rootModule(PassesOptions, [
  PassBatchesController,
  PassTransitionsController,
  PassesController,
]) {}
