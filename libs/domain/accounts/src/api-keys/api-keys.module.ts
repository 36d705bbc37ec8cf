import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountMembersModule } from '../accounts/account-members.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { AgentTools } from './agent-tools.service.js';
import { ApiKey } from './api-key.entity.js';
import { ApiKeysRepository } from './api-keys.repository.js';
import { ApiKeysService } from './api-keys.service.js';

/** Creates, rotates and revokes API keys. */
@Module({
  imports: [DiscoveryModule, AccountMembersModule, AuditModule, TypeOrmModule.forFeature([ApiKey])],
  providers: [ApiKeysService, ApiKeysRepository, AgentTools],
  exports: [ApiKeysService, AgentTools],
})
export class ApiKeysModule {}
