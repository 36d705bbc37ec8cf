import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { rootModule } from '@passwright/core';
import { DeliveryController } from './delivery/delivery.controller.js';
import { DeliveryService } from './delivery/delivery.service.js';
import { HolderMessagesRepository } from './holders/holder-messages.repository.js';
import { HolderPassesService } from './holders/holder-passes.service.js';
import { HolderMailsRepository } from './mails/holder-mails.repository.js';
import { MailEncryptionService } from './mails/mail-encryption.service.js';
import { PassMailDayRow, PassMailRecipientRow } from './mails/mail-limits.entities.js';
import { MailLimitsCron } from './mails/mail-limits.cron.js';
import { MailLimitsRepository } from './mails/mail-limits.repository.js';
import { MailLimitsService } from './mails/mail-limits.service.js';
import { MailsRetentionCron } from './mails/mails-retention.cron.js';
import { PassMailAccountDataService } from './mails/pass-mail-account-data.service.js';
import { HolderMailer } from './mails/holder-mailer.service.js';
import { PassMailOutboxService } from './mails/pass-mail-outbox.service.js';
import { PassMailRow } from './mails/pass-mail.entity.js';
import { PassMailsController } from './mails/pass-mails.controller.js';
import { PassMailsHandlers } from './mails/pass-mails.handlers.js';
import { PassMailsRepository } from './mails/pass-mails.repository.js';
import { PassMailsService } from './mails/pass-mails.service.js';
import { PassDistributionOptions } from './pass-distribution.options.js';
import { PassPreviewController } from './preview/pass-preview.controller.js';
import { PassPreviewsService } from './preview/pass-previews.service.js';

/**
 * Sends passes by e-mail, reports their delivery, previews them, and exports and erases the data of holders. Needs
 * `PassesModule`, `TemplatesModule`, `Mailer` and `Clock`.
 */
@Module({
  imports: [TypeOrmModule.forFeature([PassMailRow, PassMailDayRow, PassMailRecipientRow])],
  providers: [
    DeliveryService,
    PassPreviewsService,
    HolderPassesService,
    HolderMessagesRepository,
    HolderMailer,
    PassMailsService,
    PassMailOutboxService,
    PassMailsHandlers,
    PassMailsRepository,
    HolderMailsRepository,
    MailEncryptionService,
    MailLimitsService,
    MailLimitsCron,
    MailLimitsRepository,
    MailsRetentionCron,
    PassMailAccountDataService,
  ],
  exports: [HolderMailer, HolderPassesService],
})
export class PassDistributionModule extends rootModule(PassDistributionOptions, [
  DeliveryController,
  PassMailsController,
  PassPreviewController,
]) {}
