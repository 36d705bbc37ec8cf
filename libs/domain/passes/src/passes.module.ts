import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { GoogleQuota, rootModule } from '@passwright/core';
import { ApplePassesController } from './apple/apple-passes.controller.js';
import { ApplePassesService } from './apple/apple-passes.service.js';
import { PassBatchesController } from './batches/pass-batches.controller.js';
import { PassBatchesService } from './batches/pass-batches.service.js';
import { AppleDevice } from './devices/apple-device.entity.js';
import { AppleFormerRegistration } from './devices/apple-former-registration.entity.js';
import { AppleLogLine } from './devices/apple-log-line.entity.js';
import { AppleRegistration } from './devices/apple-registration.entity.js';
import { DeviceActivity } from './devices/device-activity.js';
import { DeviceActivityRepository } from './devices/device-activity.repository.js';
import { DeviceLogsRepository } from './devices/device-logs.repository.js';
import { DeviceLogsService } from './devices/device-logs.service.js';
import { DeviceRegistrationsController } from './devices/device-registrations.controller.js';
import { DeviceRegistrationsRepository } from './devices/device-registrations.repository.js';
import { DeviceRegistrationsService } from './devices/device-registrations.service.js';
import { DevicesHousekeeping } from './devices/devices-housekeeping.js';
import { LatestPassesController } from './devices/latest-passes.controller.js';
import { LatestPassesService } from './devices/latest-passes.service.js';
import { PassDevicesRepository } from './devices/pass-devices.repository.js';
import { PassDevicesService } from './devices/pass-devices.service.js';
import { UpdatedPassesRepository } from './devices/updated-passes.repository.js';
import { PassRequestLimit } from './devices/pass-request-limit.js';
import { UpdatedPassesService } from './devices/updated-passes.service.js';
import { DeletedPassesCron } from './passes/deleted-passes.cron.js';
import { DeletedPassesRepository } from './passes/deleted-passes.repository.js';
import { DeletedPass } from './passes/deleted-pass.entity.js';
import { GoogleCallbackRow } from './google/google-callback.entity.js';
import { GoogleCallbacksController } from './google/google-callbacks.controller.js';
import { GoogleCallbacksRepository } from './google/google-callbacks.repository.js';
import { GoogleCallbacksService } from './google/google-callbacks.service.js';
import { GoogleContentRepository } from './google/google-content.repository.js';
import { GoogleGate } from './google/google-gate.js';
import { GoogleHaltRow } from './google/google-halt.entity.js';
import { GoogleHaltsRepository } from './google/google-halts.repository.js';
import { GoogleLinksService } from './google/google-links.service.js';
import { GoogleMarking } from './google/google-marking.js';
import { GoogleParts } from './google/google-parts.js';
import { IssuerUseListener } from './google/issuer-use.listener.js';
import { GooglePassesController } from './google/google-passes.controller.js';
import { GoogleProgressController } from './google/google-progress.controller.js';
import { GoogleProgressRepository } from './google/google-progress.repository.js';
import { GoogleProgressService } from './google/google-progress.service.js';
import { GooglePublisher } from './google/google-publisher.js';
import { GoogleQuotaRow } from './google/google-quota.entity.js';
import { GoogleQuotaRepository } from './google/google-quota.repository.js';
import { GoogleResourceRow } from './google/google-resource.entity.js';
import { GoogleResourcesRepository } from './google/google-resources.repository.js';
import { GoogleSender } from './google/google-sender.js';
import { GoogleWriter } from './google/google-writer.js';
import { PackageKits } from './apple/package-kits.js';
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
import { GoogleAccountDataService } from './google/google-account-data.service.js';
import { AppleAccountDataService } from './updates/apple-account-data.service.js';
import { IssuedPassesService } from './passes/issued-passes.service.js';
import { PassChangeNotifier } from './listeners/pass-change-notifier.service.js';
import { TemplateChangesHandlers } from './listeners/template-changes.handlers.js';
import { ApplePassListener } from './updates/apple-pass.listener.js';
import { RegisteredPassesRepository } from './updates/registered-passes.repository.js';
import { GooglePassListener } from './google/google-pass.listener.js';
import { GoogleTimesCron } from './google/google-times.cron.js';
import { CertificateUseListener } from './updates/certificate-use.listener.js';
import { DeviceMarking } from './updates/device-marking.js';
import { DeviceMarkingRepository } from './updates/device-marking.repository.js';
import { PassExpiryCron } from './expiry/pass-expiry.cron.js';
import { PassExpiryRepository } from './expiry/pass-expiry.repository.js';
import { PushGate } from './updates/push-gate.js';
import { PushHalt } from './updates/push-halt.entity.js';
import { PushHaltsRepository } from './updates/push-halts.repository.js';
import { PushPage } from './updates/push-page.entity.js';
import { PushPages } from './updates/push-pages.js';
import { PushQueueRepository } from './updates/push-queue.repository.js';
import { PushRecordsRepository } from './updates/push-records.repository.js';
import { PushStateService } from './updates/push-state.service.js';
import { PushSchedule } from './updates/push-schedule.js';
import { PushTimesCron } from './updates/push-times.cron.js';
import { RestoredDevices } from './updates/restored-devices.js';
import { RestoredGoogleResources } from './google/restored-google-resources.js';
import { PushSender } from './updates/push-sender.js';
import { SilentDevicesCron } from './updates/silent-devices.cron.js';
import { WalletPassesModule } from './wallets/wallet-passes.module.js';

/** Passes, their states, their Apple Wallet packages and save links. Needs `TemplatesModule`, `Database`, `Jobs`, `Signer`, `ApplePush`, `GoogleWallet` and `Clock`. */
@Module({
  imports: [
    DiscoveryModule,
    WalletPassesModule,
    TypeOrmModule.forFeature([
      Pass,
      PassUpdateOrder,
      DeletedPass,
      AppleDevice,
      AppleRegistration,
      AppleFormerRegistration,
      AppleLogLine,
      PushHalt,
      GoogleResourceRow,
      GoogleCallbackRow,
      GoogleHaltRow,
      GoogleQuotaRow,
      PushPage,
    ]),
  ],
  providers: [
    PassBatchesService,
    PassesService,
    PassTransitionsService,
    DependentPasses,
    IssuedPassesService,
    ...[PassAccountDataService, AppleAccountDataService, GoogleAccountDataService],
    ApplePassesService,
    ...[DeletedPassesRepository, DeletedPassesCron],
    DeviceRegistrationsService,
    UpdatedPassesService,
    LatestPassesService,
    DeviceActivity,
    DeviceLogsService,
    PassRequestLimit,
    DevicesHousekeeping,
    DeviceRegistrationsRepository,
    UpdatedPassesRepository,
    DeviceActivityRepository,
    DeviceLogsRepository,
    PackageKits,
    ...[PassWriter, PassTrail],
    ...[RestoredDevices, RestoredGoogleResources],
    ...[PushTimesCron, GoogleTimesCron],
    ...[PassChangeNotifier, TemplateChangesHandlers],
    ...[ApplePassListener, RegisteredPassesRepository, GooglePassListener],
    ...[CertificateUseListener, IssuerUseListener],
    ...[PassesRepository, PassTemplateListener, PassImageListener, PassUsageListener],
    PassListsRepository,
    DeviceMarking,
    DeviceMarkingRepository,
    SilentDevicesCron,
    PushSender,
    PushQueueRepository,
    PushRecordsRepository,
    PushHaltsRepository,
    PushGate,
    PushPages,
    PushSchedule,
    PassExpiryCron,
    PassExpiryRepository,
    ...[PassDevicesService, PassDevicesRepository, PushStateService],
    ...[GoogleLinksService, GooglePublisher, GoogleParts, GoogleWriter, GoogleSender, GoogleMarking, GoogleGate],
    ...[GoogleCallbacksService, GoogleProgressService, GoogleResourcesRepository, GoogleContentRepository],
    ...[GoogleHaltsRepository, GoogleCallbacksRepository, GoogleProgressRepository],
    { provide: GoogleQuota, useClass: GoogleQuotaRepository },
  ],
  exports: [
    WalletPassesModule,
    PassesService,
    PassTransitionsService,
    DependentPasses,
    IssuedPassesService,
    ApplePassesService,
    PassDevicesService,
    PushStateService,
    GoogleLinksService,
    GoogleProgressService,
    GoogleQuota,
  ],
})
export class PassesModule extends rootModule(PassesOptions, [
  // Routes are tried in this order: the busiest first. No path is taken by two of them.
  ApplePassesController,
  LatestPassesController,
  DeviceRegistrationsController,
  GooglePassesController,
  GoogleCallbacksController,
  GoogleProgressController,
  PassBatchesController,
  PassTransitionsController,
  PassesController,
]) {}
