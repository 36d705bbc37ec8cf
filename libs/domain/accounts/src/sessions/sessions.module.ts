import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditModule } from '../audit/audit.module.js';
import { UsersModule } from '../users/users.module.js';
import { Session } from './session.entity.js';
import { SessionsCron } from './sessions.cron.js';
import { SessionsRepository } from './sessions.repository.js';
import { SessionsService } from './sessions.service.js';
import { UsersSessionsService } from './users-sessions.service.js';

/** Opens, refreshes and ends sessions of users. */
@Module({
  imports: [UsersModule, AuditModule, TypeOrmModule.forFeature([Session])],
  providers: [SessionsService, SessionsCron, SessionsRepository, UsersSessionsService],
  exports: [SessionsService, SessionsRepository, UsersSessionsService],
})
export class SessionsModule {}
