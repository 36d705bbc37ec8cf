import { Controller, HttpCode, Param, Post, UseGuards } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  ApiErrors,
  Caller,
  DevelopmentSigningGuard,
  type IfMatch,
  IfMatchTags,
  InvalidTransition,
  PreconditionFailed,
  type Principal,
  RequireScope,
  Tagged,
} from '@passwright/core';
import { ApiPassAddress, ApiPassBody } from '../passes/pass-api.decorators.js';
import { PassTransitionsService } from './pass-transitions.service.js';
import { PassWithLinks, taggedPass } from '../content/pass-with-links.dto.js';
import { PassNotFound } from '../passes/passes.errors.js';
import { PassesOptions } from '../passes.options.js';

@ApiTags('passes')
@Controller('v1/pass/:templateId/:passId')
@UseGuards(DevelopmentSigningGuard)
export class PassTransitionsController {
  constructor(
    private readonly transitions: PassTransitionsService,
    private readonly options: PassesOptions,
  ) {}

  @Post('void')
  @HttpCode(200)
  @RequireScope('passes:write')
  @ApiTags('mcp')
  @ApiOperation({
    operationId: 'voidPass',
    summary: 'Void a pass',
    description: 'A pass that is already void stays unchanged.',
  })
  @ApiPassAddress()
  @ApiPassBody(200, 'The void pass.')
  @ApiErrors(PassNotFound, PreconditionFailed)
  async void(
    @Caller() { accountId }: Principal,
    @Param('templateId') templateId: string,
    @Param('passId') passId: string,
    @IfMatchTags() ifMatch: IfMatch,
  ): Promise<Tagged<PassWithLinks>> {
    const issued = await this.transitions.void({ accountId, templateId, passId }, ifMatch);
    return taggedPass(issued, this.options.baseUrl);
  }

  @Post('unvoid')
  @HttpCode(200)
  @RequireScope('passes:write')
  @ApiOperation({
    operationId: 'unvoidPass',
    summary: 'Un-void a pass',
    description: 'A pass that is not void stays unchanged. 409 while its template is archived.',
  })
  @ApiPassAddress()
  @ApiPassBody(200, 'The un-voided pass.')
  @ApiErrors(PassNotFound, InvalidTransition, PreconditionFailed)
  async unvoid(
    @Caller() { accountId }: Principal,
    @Param('templateId') templateId: string,
    @Param('passId') passId: string,
    @IfMatchTags() ifMatch: IfMatch,
  ): Promise<Tagged<PassWithLinks>> {
    const issued = await this.transitions.unvoid({ accountId, templateId, passId }, ifMatch);
    return taggedPass(issued, this.options.baseUrl);
  }

  @Post('redeem')
  @HttpCode(200)
  @RequireScope('passes:write')
  @ApiOperation({
    operationId: 'redeemPass',
    summary: 'Redeem a pass',
    description:
      'Only one call returns 200, even if several arrive at once; all others return 409. 409 also for a pass ' +
      'that is void, expired or not valid yet. Send an `Idempotency-Key` so that you can repeat a call whose ' +
      'response was lost.',
  })
  @ApiPassAddress()
  @ApiPassBody(200, 'The redeemed pass.')
  @ApiErrors(PassNotFound, InvalidTransition, PreconditionFailed)
  async redeem(
    @Caller() { accountId }: Principal,
    @Param('templateId') templateId: string,
    @Param('passId') passId: string,
    @IfMatchTags() ifMatch: IfMatch,
  ): Promise<Tagged<PassWithLinks>> {
    const issued = await this.transitions.redeem({ accountId, templateId, passId }, ifMatch);
    return taggedPass(issued, this.options.baseUrl);
  }
}
