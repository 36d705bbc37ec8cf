import { Module } from '@nestjs/common';
import { rootModule } from '@passwright/core';
import { AccountsOptions } from './accounts.options.js';
import { AccountMembersModule } from './accounts/account-members.module.js';
import { AgentPlansModule } from './agent-plans/agent-plans.module.js';
import { ApiKeysModule } from './api-keys/api-keys.module.js';
import { AttemptsModule } from './attempts/attempts.module.js';
import { AuditModule } from './audit/audit.module.js';
import { AuthModule } from './auth/auth.module.js';
import { AccountDataModule } from './deletion/account-data.module.js';
import { PersonalDataModule } from './personal-data/personal-data.module.js';
import { SessionsModule } from './sessions/sessions.module.js';
import { UsersModule } from './users/users.module.js';

const modules = [
  PersonalDataModule,
  UsersModule,
  AuditModule,
  AccountMembersModule,
  SessionsModule,
  ApiKeysModule,
  AgentPlansModule,
  AttemptsModule,
  AuthModule,
  AccountDataModule,
];

/**
 * Accounts, users, sessions, API keys and the audit trail. Authenticates callers and checks their permissions.
 * `SelfServiceModule` contains the routes. Needs `Database`, `Jobs` and `Clock`.
 */
@Module({ imports: modules, exports: modules })
export class AccountsModule extends rootModule(AccountsOptions) {}
