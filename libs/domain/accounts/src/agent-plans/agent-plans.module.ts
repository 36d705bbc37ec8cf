import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditModule } from '../audit/audit.module.js';
import { AgentPlan } from './agent-plan.entity.js';
import { AgentPlansCron } from './agent-plans.cron.js';
import { AgentPlansRepository } from './agent-plans.repository.js';
import { AgentPlansService } from './agent-plans.service.js';

/** Stores, lists and confirms plans of agents. */
@Module({
  imports: [AuditModule, TypeOrmModule.forFeature([AgentPlan])],
  providers: [AgentPlansService, AgentPlansRepository, AgentPlansCron],
  exports: [AgentPlansService],
})
export class AgentPlansModule {}
