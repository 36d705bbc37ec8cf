import { Module } from '@nestjs/common';
import { RouteAuthentication } from '@passwright/core';
import { AccountMembersModule } from '../accounts/account-members.module.js';
import { ApiKeysModule } from '../api-keys/api-keys.module.js';
import { AttemptsModule } from '../attempts/attempts.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { AccessTokens } from './access-tokens.service.js';
import { AuthGuard } from './auth.guard.js';
import { Authenticator } from './authenticator.service.js';

/** Verifies access tokens and API keys, and guards routes. */
@Module({
  imports: [AccountMembersModule, ApiKeysModule, AttemptsModule, SessionsModule],
  providers: [AuthGuard, Authenticator, AccessTokens, { provide: RouteAuthentication, useExisting: AuthGuard }],
  exports: [AuthGuard, Authenticator, AccessTokens, RouteAuthentication],
})
export class AuthModule {}
