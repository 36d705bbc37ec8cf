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
import { AgentPlanDetails, AgentPlanResponse } from './agent-plan.dto.js';
import { AgentPlansService } from './agent-plans.service.js';

@ApiTags('accounts')
@Controller('v1/account/plans')
export class AgentPlansController {
  constructor(private readonly plans: AgentPlansService) {}

  @Get()
  @RequireUser()
  @ApiOperation({
    operationId: 'listAgentPlans',
    summary: 'List agent plans',
    description: 'Lists the plans that agents have not executed yet, newest first.',
  })
  @ApiPage(AgentPlanResponse)
  @ApiErrors(ValidationFailed)
  list(@Caller() { accountId }: Principal, @Query() query: PageQuery): Promise<Page<AgentPlanResponse>> {
    return this.plans.list(accountId, query);
  }

  @Get(':planId')
  @RequireUser()
  @ApiOperation({
    operationId: 'getAgentPlan',
    summary: 'Read an agent plan',
    description: 'The plan includes the values that it changes, if the user may read the pass or template.',
  })
  @ApiOkResponse({ type: AgentPlanDetails })
  @ApiErrors(NotFound)
  get(@Caller() caller: Principal, @Param('planId') planId: string): Promise<AgentPlanDetails> {
    return this.plans.get(caller, planId);
  }

  @Post(':planId/confirm')
  @HttpCode(200)
  @RequireUser()
  @ApiOperation({
    operationId: 'confirmAgentPlan',
    summary: 'Confirm an agent plan',
    description: 'Allows the agent to execute the plan once, if the target of the plan does not change before.',
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
    summary: 'Reject an agent plan',
    description: 'Also works for a confirmed plan that was not executed yet.',
  })
  @ApiNoContentResponse({ description: 'The plan was rejected.' })
  @ApiErrors(NotFound)
  reject(@Caller() caller: Principal, @Param('planId') planId: string): Promise<void> {
    return this.plans.reject(caller, planId);
  }
}
