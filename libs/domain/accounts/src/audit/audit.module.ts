import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { UsersModule } from '../users/users.module.js';
import { AuditEvent } from './audit-event.entity.js';
import { AuditEventsRepository } from './audit-events.repository.js';
import { AuditEventsService } from './audit-events.service.js';
import { AuditRetention } from './audit-retention.cron.js';
import { AuditLog } from './audit-log.service.js';

/** Writes the audit trail, lists its events and deletes old events. */
@Module({
  imports: [UsersModule, TypeOrmModule.forFeature([AuditEvent])],
  providers: [AuditLog, AuditEventsService, AuditEventsRepository, AuditRetention],
  exports: [AuditLog, AuditEventsService],
})
export class AuditModule {}
