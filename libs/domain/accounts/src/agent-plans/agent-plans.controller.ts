import { Controller, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  ApiErrors,
  ApiPage,
  Caller,
  NotFound,
  PageQuery,
  RequireUser,
  ValidationFailed,
  type Page,
  type Principal,
} from '@passwright/core';
import { AgentPlanResponse } from './agent-plan.dto.js';
import { AgentPlansService } from './agent-plans.service.js';

@ApiTags('accounts')
@Controller('v1/account/plans')
export class AgentPlansController {
  constructor(private readonly plans: AgentPlansService) {}

  @Get()
  @RequireUser()
  @ApiOperation({
    operationId: 'listAgentPlans',
    summary: 'List plans of agents',
    description: 'The plans of supervised API keys that have not been executed, newest first.',
  })
  @ApiPage(AgentPlanResponse)
  @ApiErrors(ValidationFailed)
  list(@Caller() { accountId }: Principal, @Query() query: PageQuery): Promise<Page<AgentPlanResponse>> {
    return this.plans.list(accountId, query);
  }

  @Post(':planId/confirm')
  @HttpCode(200)
  @RequireUser()
  @ApiOperation({
    operationId: 'confirmAgentPlan',
    summary: 'Confirm a plan of an agent',
    description: 'The agent can then execute it once, unless its target has changed since.',
  })
  @ApiOkResponse({ type: AgentPlanResponse })
  @ApiErrors(NotFound)
  confirm(@Caller() caller: Principal, @Param('planId') planId: string): Promise<AgentPlanResponse> {
    return this.plans.confirm(caller, planId);
  }

  @Delete(':planId')
  @HttpCode(204)
  @RequireUser()
  @ApiOperation({
    operationId: 'rejectAgentPlan',
    summary: 'Reject a plan of an agent',
    description: 'Also takes back a confirmation, unless the plan has been executed.',
  })
  @ApiNoContentResponse()
  @ApiErrors(NotFound)
  reject(@Caller() caller: Principal, @Param('planId') planId: string): Promise<void> {
    return this.plans.reject(caller, planId);
  }
}
