import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { rootModule } from '@passwright/core';
import { AgentPlansController } from './agent-plans/agent-plans.controller.js';
import { ApiKeysController } from './api-keys/api-keys.controller.js';
import { AuditEventsController } from './audit/audit-events.controller.js';
import { AuthController } from './auth/auth.controller.js';
import { SignInModule } from './auth/sign-in.module.js';
import { CredentialsController } from './credentials/credentials.controller.js';
import { CredentialsModule } from './credentials/credentials.module.js';
import { AccountDeletionController } from './deletion/account-deletion.controller.js';
import { AccountDeletionModule } from './deletion/account-deletion.module.js';
import { InvitesController } from './invites/invites.controller.js';
import { InvitesModule } from './invites/invites.module.js';
import { AccountOverviewService } from './overview/account-overview.service.js';
import { AccountsController } from './overview/accounts.controller.js';
import { EmailPagesController } from './pages/email-pages.controller.js';
import { EmailPagesService } from './pages/email-pages.service.js';
import { InvitePagesController } from './pages/invite-pages.controller.js';
import { InvitePagesService } from './pages/invite-pages.service.js';
import { PasswordPagesController } from './pages/password-pages.controller.js';
import { PasswordPagesService } from './pages/password-pages.service.js';
import { ProfileController } from './profile/profile.controller.js';
import { ProfileService } from './profile/profile.service.js';
import { SelfServiceOptions } from './self-service.options.js';
import { SessionsController } from './sessions/sessions.controller.js';

const modules = [CredentialsModule, SignInModule, InvitesModule, AccountDeletionModule];

/**
 * Contains the routes with which people register, sign in, invite others and manage their account. Needs
 * `AccountsModule`, `Database`, `Jobs`, `Mailer` and `Clock`.
 */
@Module({
  imports: [DiscoveryModule, ...modules],
  providers: [AccountOverviewService, ProfileService, EmailPagesService, InvitePagesService, PasswordPagesService],
  exports: modules,
})
export class SelfServiceModule extends rootModule(SelfServiceOptions, [
  AuditEventsController,
  AuthController,
  CredentialsController,
  PasswordPagesController,
  EmailPagesController,
  InvitePagesController,
  SessionsController,
  ApiKeysController,
  AgentPlansController,
  ProfileController,
  AccountsController,
  AccountDeletionController,
  InvitesController,
]) {}
