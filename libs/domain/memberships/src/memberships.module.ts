import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { rootModule } from '@passwright/core';
import { MemberImportController } from './import/member-import.controller.js';
import { MemberImportService } from './import/member-import.service.js';
import { MemberChangesService } from './members/member-changes.service.js';
import { MemberListsRepository } from './members/member-lists.repository.js';
import { MemberEncryption } from './members/member-encryption.js';
import { MemberPasses } from './members/member-passes.js';
import { MemberTransitionsController } from './members/member-transitions.controller.js';
import { Member } from './members/member.entity.js';
import { MembersController } from './members/members.controller.js';
import { MembersEncryptionCron } from './members/members-encryption.cron.js';
import { MembersRepository } from './members/members.repository.js';
import { MembersService } from './members/members.service.js';
import { MembershipsOptions } from './memberships.options.js';
import { DueMembers } from './reminders/due-members.js';
import { DueMembersRepository } from './reminders/due-members.repository.js';
import { MemberTimes } from './reminders/member-times.js';
import { MembersFollow } from './reminders/members-follow.js';
import { ReminderLetters } from './reminders/reminder-letters.js';
import { ReminderMails } from './reminders/reminder-mails.js';
import { MembershipSettings } from './settings/membership-settings.entity.js';
import { HoldersRepository } from './privacy/holders.repository.js';
import { HoldersService } from './privacy/holders.service.js';
import { MembershipAccountData } from './privacy/membership-account-data.js';
import { PrivacyController } from './privacy/privacy.controller.js';
import { SettingsController } from './settings/settings.controller.js';
import { SettingsRepository } from './settings/settings.repository.js';
import { SettingsService } from './settings/settings.service.js';

/** Memberships that run themselves. Needs `PassesModule`, `TemplatesModule`, `AccountsModule`, `Database`, `Jobs`, `Mailer` and `Clock`. */
@Module({
  imports: [TypeOrmModule.forFeature([Member, MembershipSettings])],
  providers: [
    ...[HoldersService, HoldersRepository, MembershipAccountData],
    ...[SettingsService, SettingsRepository],
    ...[MembersService, MemberChangesService, MemberPasses, MembersRepository, MemberListsRepository],
    ...[MemberEncryption, MembersEncryptionCron],
    MemberImportService,
    ...[DueMembers, DueMembersRepository, MemberTimes, ReminderMails, ReminderLetters, MembersFollow],
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
