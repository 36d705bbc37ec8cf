import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { CircuitRow } from '@passwright/jobs';
import { AppleAccountDataService } from './push/apple-account-data.service.js';
import { ApplePassListener } from './fanout/apple-pass.listener.js';
import { AppleTemplateListener } from './fanout/apple-template.listener.js';
import { CertificateUseListener } from './push/certificate-use.listener.js';
import { PushCircuitBreaker } from './push/push-circuit-breaker.js';
import { PushFanout } from './fanout/push-fanout.handlers.js';
import { PushFanoutRepository } from './fanout/push-fanout.repository.js';
import { PushCircuitsRepository } from './push/push-circuits.repository.js';
import { PushDueCron } from './push/push-due.cron.js';
import { PushPage } from './push/push-page.entity.js';
import { PushPages } from './push/push-pages.service.js';
import { PushQueueRepository } from './push/push-queue.repository.js';
import { PushRecordsRepository } from './push/push-records.repository.js';
import { PushSender } from './push/push-sender.handlers.js';
import { PushStateService } from './push/push-state.service.js';
import { PushClockRepairCron } from './push/push-clock-repair.cron.js';
import { RegisteredPassesRepository } from './fanout/registered-passes.repository.js';
import { RestoredDevices } from './recovery/restored-devices.listener.js';
import { SilentDevicesCron } from './recovery/silent-devices.cron.js';

/** Sends pushes to the devices that hold a changed pass. Needs `ApplePush`. */
@Module({
  imports: [TypeOrmModule.forFeature([CircuitRow, PushPage])],
  providers: [
    ApplePassListener,
    AppleTemplateListener,
    CertificateUseListener,
    AppleAccountDataService,
    PushFanout,
    PushFanoutRepository,
    RegisteredPassesRepository,
    PushSender,
    PushPages,
    PushQueueRepository,
    PushRecordsRepository,
    PushCircuitBreaker,
    PushCircuitsRepository,
    PushDueCron,
    PushClockRepairCron,
    PushStateService,
    SilentDevicesCron,
    RestoredDevices,
  ],
  exports: [PushStateService],
})
export class ApplePushSenderModule {}
