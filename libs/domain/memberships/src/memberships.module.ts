import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { rootModule } from '@passwright/core';
import { MemberImportController } from './import/member-import.controller.js';
import { MemberImportService } from './import/member-import.service.js';
import { MemberChangesService } from './members/member-changes.service.js';
import { MemberListsRepository } from './members/member-lists.repository.js';
import { MemberEncryptionService } from './members/member-encryption.service.js';
import { MemberPassesService } from './members/member-passes.service.js';
import { MemberTransitionsController } from './members/member-transitions.controller.js';
import { Member } from './members/member.entity.js';
import { MembersController } from './members/members.controller.js';
import { MembersEncryptionCron } from './members/members-encryption.cron.js';
import { MembersRepository } from './members/members.repository.js';
import { MembersService } from './members/members.service.js';
import { MembershipsOptions } from './memberships.options.js';
import { DueMembersCron } from './reminders/due-members.cron.js';
import { DueMembersRepository } from './reminders/due-members.repository.js';
import { DueMembersService } from './reminders/due-members.service.js';
import { SettingsChangedHandlers } from './reminders/settings-changed.handlers.js';
import { ReminderEmailTemplateService } from './reminders/reminder-email-template.service.js';
import { ReminderEmailSender } from './reminders/reminder-email-sender.handlers.js';
import { MembershipSettings } from './settings/membership-settings.entity.js';
import { HoldersRepository } from './privacy/holders.repository.js';
import { HoldersService } from './privacy/holders.service.js';
import { MembershipAccountDataService } from './privacy/membership-account-data.service.js';
import { PrivacyController } from './privacy/privacy.controller.js';
import { SettingsController } from './settings/settings.controller.js';
import { SettingsService } from './settings/settings.service.js';
import { TemplateListenersModule } from './settings/template-listeners.module.js';

/**
 * Provides memberships with automatic expiry and reminders. Needs `PassDistributionModule`, `PassesModule`,
 * `TemplatesModule`, `AccountsModule`, `Database`, `Jobs` and `Clock`.
 */
@Module({
  imports: [TypeOrmModule.forFeature([Member, MembershipSettings]), TemplateListenersModule],
  providers: [
    ...[HoldersService, HoldersRepository, MembershipAccountDataService],
    SettingsService,
    ...[MembersService, MemberChangesService, MemberPassesService, MembersRepository, MemberListsRepository],
    ...[MemberEncryptionService, MembersEncryptionCron],
    MemberImportService,
    ...[DueMembersCron, DueMembersRepository, DueMembersService, SettingsChangedHandlers],
    ...[ReminderEmailSender, ReminderEmailTemplateService],
  ],
  exports: [SettingsService, MembersService, MemberChangesService],
})
export class MembershipsModule extends rootModule(MembershipsOptions, [
  SettingsController,
  MemberImportController,
  MembersController,
  MemberTransitionsController,
  PrivacyController,
]) {}
