import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountMembersModule } from '../accounts/account-members.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { PersonalDataModule } from '../personal-data/personal-data.module.js';
import { AgentPlan } from './agent-plan.entity.js';
import { AgentPlanEncryption } from './agent-plan-encryption.service.js';
import { AgentPlansCron } from './agent-plans.cron.js';
import { AgentPlansRepository } from './agent-plans.repository.js';
import { AgentPlansService } from './agent-plans.service.js';
import { ConfirmerListener } from './confirmer.listener.js';

/** Stores, lists and confirms the plans of supervised API keys. */
@Module({
  imports: [AccountMembersModule, AuditModule, PersonalDataModule, TypeOrmModule.forFeature([AgentPlan])],
  providers: [AgentPlanEncryption, AgentPlansService, AgentPlansRepository, AgentPlansCron, ConfirmerListener],
  exports: [AgentPlansService],
})
export class AgentPlansModule {}
