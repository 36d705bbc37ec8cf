import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { rootModule } from '@passwright/core';
import { AccountsOptions } from './accounts.options.js';
import { AccountAdmins } from './accounts/account-admins.repository.js';
import { AccountDirectory } from './accounts/account-directory.repository.js';
import { AccountMember } from './accounts/account-member.entity.js';
import { AccountMembersRepository } from './accounts/account-members.repository.js';
import { AccountMembersService } from './accounts/account-members.service.js';
import { AccountOverviewService } from './overview/account-overview.service.js';
import { Account } from './accounts/account.entity.js';
import { AccountsController } from './overview/accounts.controller.js';
import { AccountsRepository } from './accounts/accounts.repository.js';
import { AccountsService } from './accounts/accounts.service.js';
import { AuditEvent } from './audit/audit-event.entity.js';
import { AuditEventsController } from './audit/audit-events.controller.js';
import { AuditEventsRepository } from './audit/audit-events.repository.js';
import { AuditEventsService } from './audit/audit-events.service.js';
import { AuditRetention } from './audit/audit-retention.cron.js';
import { AuditTrail } from './audit/audit-trail.service.js';
import { AgentTools } from './api-keys/agent-tools.service.js';
import { ApiKey } from './api-keys/api-key.entity.js';
import { ApiKeysController } from './api-keys/api-keys.controller.js';
import { ApiKeysRepository } from './api-keys/api-keys.repository.js';
import { ApiKeysService } from './api-keys/api-keys.service.js';
import { AccessTokens } from './auth/access-tokens.service.js';
import { AuthController } from './auth/auth.controller.js';
import { AuthGuard } from './auth/auth.guard.js';
import { AuthService } from './auth/auth.service.js';
import { Authenticator } from './auth/authenticator.service.js';
import { CredentialThrottle } from './attempts/credential-throttle.service.js';
import { KnownAddress } from './attempts/known-address.entity.js';
import { KnownAddressesCron } from './attempts/known-addresses.cron.js';
import { KnownAddresses } from './attempts/known-addresses.repository.js';
import { LoginThrottle } from './attempts/login-throttle.service.js';
import { Passwords } from './credentials/passwords.service.js';
import { ChangedCredentials } from './credentials/changed-credentials.service.js';
import { CredentialMailsHandlers } from './credentials/credential-mails.handlers.js';
import { CredentialsController } from './credentials/credentials.controller.js';
import { EmailChangesService } from './credentials/email-changes.service.js';
import { ForgottenPasswordsService } from './credentials/forgotten-passwords.service.js';
import { OwnPassword } from './credentials/own-password.service.js';
import { PasswordChangesService } from './credentials/password-changes.service.js';
import { SealedEmails } from './credentials/sealed-emails.service.js';
import { UserCode } from './credentials/user-code.entity.js';
import { UserCodesRepository } from './credentials/user-codes.repository.js';
import { UserCredentialsRepository } from './users/user-credentials.repository.js';
import { InvitationReader } from './invites/invitation-reader.service.js';
import { InviteAcceptanceService } from './invites/invite-acceptance.service.js';
import { InviteCodes } from './invites/invite-codes.service.js';
import { InviteThrottle } from './invites/invite-throttle.service.js';
import { Invite } from './invites/invite.entity.js';
import { InvitedUsers } from './invites/invited-users.service.js';
import { InviterListener } from './invites/inviter.listener.js';
import { InvitesController } from './invites/invites.controller.js';
import { InviteEncryption } from './invites/invite-encryption.service.js';
import { InvitesHandlers } from './invites/invites.handlers.js';
import { InvitesRepository } from './invites/invites.repository.js';
import { InvitesService } from './invites/invites.service.js';
import { Session } from './sessions/session.entity.js';
import { EmailPagesController } from './pages/email-pages.controller.js';
import { EmailPagesService } from './pages/email-pages.service.js';
import { InvitePagesController } from './pages/invite-pages.controller.js';
import { InvitePagesService } from './pages/invite-pages.service.js';
import { PasswordPagesController } from './pages/password-pages.controller.js';
import { PasswordPagesService } from './pages/password-pages.service.js';
import { SessionsController } from './sessions/sessions.controller.js';
import { SessionsRepository } from './sessions/sessions.repository.js';
import { SessionsService } from './sessions/sessions.service.js';
import { UsersSessionsService } from './sessions/users-sessions.service.js';
import { AccountData } from './deletion/account-data.service.js';
import { AccountDeletion } from './accounts/account-deletion.entity.js';
import { AccountDeletionController } from './deletion/account-deletion.controller.js';
import { AccountDeletionMailsHandlers } from './deletion/account-deletion-mails.handlers.js';
import { AccountDeletionRepository } from './accounts/account-deletion.repository.js';
import { AccountDeletionService } from './deletion/account-deletion.service.js';
import { AccountDeletionCron } from './deletion/account-deletion.cron.js';
import { AccountEraser } from './deletion/account-eraser.handlers.js';
import { AccountExportService } from './deletion/account-export.service.js';
import { AccountRowsRepository } from './deletion/account-rows.repository.js';
import { DeletionProof } from './deletion/deletion-proof.service.js';
import { DeletionSchedule } from './deletion/deletion-schedule.service.js';
import { OwnAccountData } from './deletion/own-account-data.service.js';
import { BackgroundEncryption } from './personal-data/background-encryption.cron.js';
import { EncryptionKeysListener } from './personal-data/encryption-keys.listener.js';
import { EncryptionKeysRepository } from './personal-data/encryption-keys.repository.js';
import { PersonalData } from './personal-data/personal-data.service.js';
import { ProfileController } from './profile/profile.controller.js';
import { ProfileService } from './profile/profile.service.js';
import { UserAccountsRepository } from './users/user-accounts.repository.js';
import { UserEncryption } from './users/user-encryption.service.js';
import { User } from './users/user.entity.js';
import { UsersRepository } from './users/users.repository.js';
import { UsersService } from './users/users.service.js';

/** Accounts, users, sessions and API keys. Authenticates callers and checks their permissions. */
@Module({
  imports: [
    DiscoveryModule,
    TypeOrmModule.forFeature([Account, AccountMember, User, Session, ApiKey, AuditEvent, Invite]),
    TypeOrmModule.forFeature([UserCode, AccountDeletion, KnownAddress]),
  ],
  providers: [
    ...[AccountsService, AccountsRepository, UsersService, UsersRepository, SessionsService, SessionsRepository],
    ...[AccountMembersService, AccountMembersRepository, AccountOverviewService, AccountDirectory, AccountAdmins],
    ...[ProfileService, UserAccountsRepository, UserEncryption],
    ...[InvitesService, InvitesRepository, InvitesHandlers, InviteCodes, InviteThrottle],
    ...[InviteEncryption, InviterListener],
    ...[InviteAcceptanceService, InvitationReader, InvitedUsers],
    ...[ApiKeysService, ApiKeysRepository, AgentTools],
    ...[AuditTrail, AuditEventsService, AuditEventsRepository, AuditRetention],
    ...[ForgottenPasswordsService, PasswordChangesService, EmailChangesService, OwnPassword, ChangedCredentials],
    SealedEmails,
    ...[PersonalData, BackgroundEncryption, EncryptionKeysRepository, EncryptionKeysListener],
    ...[CredentialMailsHandlers, UserCodesRepository, UserCredentialsRepository, UsersSessionsService],
    ...[AccountData, OwnAccountData, AccountRowsRepository, AccountDeletionRepository, AccountDeletionService],
    ...[
      DeletionProof,
      DeletionSchedule,
      AccountDeletionCron,
      AccountEraser,
      AccountExportService,
      AccountDeletionMailsHandlers,
    ],
    ...[PasswordPagesService, EmailPagesService, InvitePagesService],
    ...[AuthService, AuthGuard, Authenticator, AccessTokens, Passwords, CredentialThrottle],
    ...[LoginThrottle, KnownAddresses, KnownAddressesCron],
  ],
  exports: [
    AccountsService,
    ...[AccountData, AccountDeletionService],
    AccountAdmins,
    AccountDirectory,
    AgentTools,
    ApiKeysService,
    AuthGuard,
    AuditTrail,
    AuthService,
    CredentialThrottle,
    PersonalData,
    SessionsService,
    UsersService,
    ...[AccountMembersService, InvitationReader, InviteAcceptanceService, InvitedUsers],
    ...[ChangedCredentials, UserCodesRepository, UserCredentialsRepository],
  ],
})
export class AccountsModule extends rootModule(AccountsOptions, [
  AuditEventsController,
  AuthController,
  CredentialsController,
  PasswordPagesController,
  EmailPagesController,
  InvitePagesController,
  SessionsController,
  ApiKeysController,
  ProfileController,
  AccountsController,
  AccountDeletionController,
  InvitesController,
]) {}
