import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { rootModule } from '@passwright/core';
import { MessageAccountDataService } from './messages/message-account-data.service.js';
import { MessageAudienceService } from './messages/message-audience.service.js';
import { MessageJobs } from './messages/message-jobs.service.js';
import { MessageListsService } from './messages/message-lists.service.js';
import { MessageOutcomesListener } from './messages/message-outcomes.listener.js';
import { MessageQuietHoursListener } from './messages/settings/message-quiet-hours.listener.js';
import { MessageRecipientRow } from './messages/message-recipient.entity.js';
import { MessageRecipientsRepository } from './messages/message-recipients.repository.js';
import { MessageSender } from './messages/message-sender.service.js';
import { MessageSettingsController } from './messages/settings/message-settings.controller.js';
import { MessageSettings } from './messages/settings/message-settings.entity.js';
import { MessageSettingsRepository } from './messages/settings/message-settings.repository.js';
import { MessageSettingsService } from './messages/settings/message-settings.service.js';
import { MessageRow } from './messages/message.entity.js';
import { MessagesController } from './messages/messages.controller.js';
import { MessagesCron } from './messages/messages.cron.js';
import { MessagesRetentionCron } from './messages/messages-retention.cron.js';
import { MessageTemplateListener } from './messages/message-template.listener.js';
import { MessagesHandlers } from './messages/messages.handlers.js';
import { MessagesRepository } from './messages/messages.repository.js';
import { MessagesService } from './messages/messages.service.js';
import { PassMessagesController } from './messages/pass-messages.controller.js';
import { TemplateMessagesController } from './messages/template-messages.controller.js';
import { MessagesOptions } from './messages.options.js';

/**
 * Plans and sends messages to the holders of passes. Needs `PassesModule`, `TemplatesModule`, `AppleWalletModule`,
 * `GoogleWalletModule`, `AccountsModule`, `Database`, `Jobs` and `Clock`.
 */
@Module({
  imports: [TypeOrmModule.forFeature([MessageRow, MessageRecipientRow, MessageSettings])],
  providers: [
    MessagesService,
    MessageListsService,
    MessageAudienceService,
    MessageSender,
    MessageJobs,
    MessageSettingsService,
    MessageSettingsRepository,
    MessageQuietHoursListener,
    MessagesHandlers,
    MessagesCron,
    MessagesRetentionCron,
    MessageTemplateListener,
    MessagesRepository,
    MessageRecipientsRepository,
    MessageOutcomesListener,
    MessageAccountDataService,
  ],
  exports: [MessagesService, MessageListsService],
})
export class MessagesModule extends rootModule(MessagesOptions, [
  PassMessagesController,
  TemplateMessagesController,
  MessagesController,
  MessageSettingsController,
]) {}
