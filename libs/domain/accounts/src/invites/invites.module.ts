import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountMembersModule } from '../accounts/account-members.module.js';
import { AttemptsModule } from '../attempts/attempts.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { CredentialsModule } from '../credentials/credentials.module.js';
import { PersonalDataModule } from '../personal-data/personal-data.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { UsersModule } from '../users/users.module.js';
import { InvitationReader } from './invitation-reader.service.js';
import { InviteAcceptanceService } from './invite-acceptance.service.js';
import { InviteCodes } from './invite-codes.service.js';
import { InviteEncryption } from './invite-encryption.service.js';
import { InviteThrottle } from './invite-throttle.service.js';
import { Invite } from './invite.entity.js';
import { InvitedUsers } from './invited-users.service.js';
import { InviterListener } from './inviter.listener.js';
import { InvitingKeyListener } from './inviting-key.listener.js';
import { InvitesCron } from './invites.cron.js';
import { InvitesHandlers } from './invites.handlers.js';
import { InvitesRepository } from './invites.repository.js';
import { InvitesService } from './invites.service.js';

/** Invites people into accounts. Needs `Mailer`. */
@Module({
  imports: [
    PersonalDataModule,
    UsersModule,
    AuditModule,
    AccountMembersModule,
    AttemptsModule,
    SessionsModule,
    CredentialsModule,
    TypeOrmModule.forFeature([Invite]),
  ],
  providers: [
    InvitesService,
    InvitesRepository,
    InvitesCron,
    InvitesHandlers,
    InviteCodes,
    InviteThrottle,
    InviteEncryption,
    InviterListener,
    InvitingKeyListener,
    InviteAcceptanceService,
    InvitationReader,
    InvitedUsers,
  ],
  exports: [InvitesService, InvitationReader, InviteAcceptanceService, InvitedUsers],
})
export class InvitesModule {}
