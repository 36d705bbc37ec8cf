import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { rootModule } from '@passwright/core';
import { ApplePushSenderModule } from './apple-push-sender.module.js';
import { AppleWalletOptions } from './apple-wallet.options.js';
import { AppleDevice } from './devices/apple-device.entity.js';
import { AppleFormerRegistration } from './devices/apple-former-registration.entity.js';
import { AppleLogLine } from './logs/apple-log-line.entity.js';
import { AppleRegistration } from './devices/apple-registration.entity.js';
import { DeviceActivityRepository } from './devices/device-activity.repository.js';
import { DeviceActivity } from './devices/device-activity.service.js';
import { DeviceLogsController } from './logs/device-logs.controller.js';
import { DeviceLogsRepository } from './logs/device-logs.repository.js';
import { DeviceLogsService } from './logs/device-logs.service.js';
import { DeviceRegistrationsController } from './devices/device-registrations.controller.js';
import { DeviceRegistrationsRepository } from './devices/device-registrations.repository.js';
import { DeviceRegistrationsService } from './devices/device-registrations.service.js';
import { DevicesRetentionCron } from './devices/devices-retention.cron.js';
import { LatestPassesController } from './devices/latest-passes.controller.js';
import { LatestPassesService } from './devices/latest-passes.service.js';
import { PassDevicesRepository } from './devices/pass-devices.repository.js';
import { PassDevicesService } from './devices/pass-devices.service.js';
import { PassRequestLimit } from './devices/pass-request-limit.service.js';
import { TokenSecretCheck } from './devices/token-secret-check.service.js';
import { UpdatedPassesRepository } from './devices/updated-passes.repository.js';
import { UpdatedPassesService } from './devices/updated-passes.service.js';
import { ApplePassesController } from './packages/apple-passes.controller.js';
import { ApplePassesService } from './packages/apple-passes.service.js';
import { PackageLayoutCache } from './packages/package-layout-cache.js';

/**
 * Apple Wallet packages, the PassKit web service, and pushes. Needs `PassesModule`, `TemplatesModule`, `Database`,
 * `Jobs`, `Signer`, `ApplePush` and `Clock`.
 */
@Module({
  imports: [
    ApplePushSenderModule,
    TypeOrmModule.forFeature([AppleDevice, AppleRegistration, AppleFormerRegistration, AppleLogLine]),
  ],
  providers: [
    ApplePassesService,
    PackageLayoutCache,
    DeviceRegistrationsService,
    DeviceRegistrationsRepository,
    UpdatedPassesService,
    UpdatedPassesRepository,
    LatestPassesService,
    PassRequestLimit,
    DeviceActivity,
    DeviceActivityRepository,
    DeviceLogsService,
    DeviceLogsRepository,
    DevicesRetentionCron,
    PassDevicesService,
    PassDevicesRepository,
    TokenSecretCheck,
  ],
  exports: [
    ApplePushSenderModule,
    ApplePassesService,
    PassDevicesService,
    DeviceRegistrationsService,
    UpdatedPassesService,
    LatestPassesService,
    DeviceLogsService,
  ],
})
export class AppleWalletModule extends rootModule(AppleWalletOptions, [
  // Register the busiest routes first, because Express tries them in this order. No path matches two routes.
  ApplePassesController,
  LatestPassesController,
  DeviceLogsController,
  DeviceRegistrationsController,
]) {}
