import { Module } from '@nestjs/common';
import { AccountMembersModule } from '../accounts/account-members.module.js';
import { AttemptsModule } from '../attempts/attempts.module.js';
import { CredentialsModule } from '../credentials/credentials.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { UsersModule } from '../users/users.module.js';
import { AuthModule } from './auth.module.js';
import { AuthService } from './auth.service.js';

/** Registers users and signs them in by password. */
@Module({
  imports: [AccountMembersModule, AttemptsModule, AuthModule, CredentialsModule, SessionsModule, UsersModule],
  providers: [AuthService],
  exports: [AuthService],
})
export class SignInModule {}
