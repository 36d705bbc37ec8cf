import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AttemptsModule } from '../attempts/attempts.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { UsersModule } from '../users/users.module.js';
import { ChangedCredentials } from './changed-credentials.service.js';
import { CredentialMailsHandlers } from './credential-mails.handlers.js';
import { EmailChangesService } from './email-changes.service.js';
import { ForgottenPasswordsService } from './forgotten-passwords.service.js';
import { OwnPassword } from './own-password.service.js';
import { PasswordChangesService } from './password-changes.service.js';
import { Passwords } from './passwords.service.js';
import { EncryptedEmails } from './encrypted-emails.service.js';
import { UserCode } from './user-code.entity.js';
import { UserCodesCron } from './user-codes.cron.js';
import { UserCodesRepository } from './user-codes.repository.js';

/** Changes passwords and e-mail addresses. Needs `Mailer`. */
@Module({
  imports: [UsersModule, AuditModule, SessionsModule, AttemptsModule, TypeOrmModule.forFeature([UserCode])],
  providers: [
    ForgottenPasswordsService,
    PasswordChangesService,
    EmailChangesService,
    ChangedCredentials,
    CredentialMailsHandlers,
    OwnPassword,
    Passwords,
    EncryptedEmails,
    UserCodesCron,
    UserCodesRepository,
  ],
  exports: [
    ForgottenPasswordsService,
    PasswordChangesService,
    EmailChangesService,
    ChangedCredentials,
    OwnPassword,
    Passwords,
    UserCodesRepository,
  ],
})
export class CredentialsModule {}
