import { Module } from '@nestjs/common';
import { AccountMembersModule } from '../accounts/account-members.module.js';
import { AttemptsModule } from '../attempts/attempts.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { CredentialsModule } from '../credentials/credentials.module.js';
import { PersonalDataModule } from '../personal-data/personal-data.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { UsersModule } from '../users/users.module.js';
import { AccountDataModule } from './account-data.module.js';
import { AccountDeletionMailsHandlers } from './account-deletion-mails.handlers.js';
import { AccountDeletionCron } from './account-deletion.cron.js';
import { AccountDeletionService } from './account-deletion.service.js';
import { AccountDeletionHandlers } from './account-deletion.handlers.js';
import { AccountExportService } from './account-export.service.js';
import { AccountRowsRepository } from './account-rows.repository.js';
import { DeletionProof } from './deletion-proof.service.js';
import { DeletionSchedule } from './deletion-schedule.service.js';

/** Exports accounts and deletes them. Needs `Mailer`. */
@Module({
  imports: [
    PersonalDataModule,
    UsersModule,
    AuditModule,
    AccountMembersModule,
    AccountDataModule,
    AttemptsModule,
    SessionsModule,
    CredentialsModule,
  ],
  providers: [
    AccountDeletionService,
    AccountDeletionCron,
    AccountDeletionMailsHandlers,
    AccountDeletionHandlers,
    AccountExportService,
    AccountRowsRepository,
    DeletionProof,
    DeletionSchedule,
  ],
  exports: [AccountDeletionService, AccountExportService],
})
export class AccountDeletionModule {}
