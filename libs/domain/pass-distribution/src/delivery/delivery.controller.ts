import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiErrors, Caller, PageQuery, type Principal, RequireScope, ValidationFailed } from '@passwright/core';
import { ApiPassAddress, PassNotFound } from '@passwright/passes';
import { DeliveryResponse } from './delivery.dto.js';
import { DeliveryService } from './delivery.service.js';

@ApiTags('walletA')
@Controller('v1/pass')
export class DeliveryController {
  constructor(private readonly delivery: DeliveryService) {}

  @Get(':templateId/:passId/delivery')
  @RequireScope('passes:read')
  @ApiTags('mcp')
  @ApiOperation({
    operationId: 'getPassDelivery',
    summary: "Show a pass's delivery trace",
    description:
      'Shows what each device in Apple Wallet did after the last change of the pass, with a verdict and the ' +
      'next step. Includes former devices of the last 90 days. A device that did not fetch the pass is pushed ' +
      'again automatically. `walletB` is the state at Google Wallet.',
  })
  @ApiPassAddress()
  @ApiOkResponse({ type: DeliveryResponse })
  @ApiErrors(ValidationFailed, PassNotFound)
  trace(
    @Caller() { accountId }: Principal,
    @Param('templateId') templateId: string,
    @Param('passId') passId: string,
    @Query() query: PageQuery,
  ): Promise<DeliveryResponse> {
    return this.delivery.trace({ accountId, templateId, passId }, query);
  }
}
