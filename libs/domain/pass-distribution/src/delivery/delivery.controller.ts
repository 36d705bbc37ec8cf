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
    summary: 'Why a phone shows what it shows',
    description:
      'What became of the last change of a pass on each device that holds it in Apple Wallet: pushed, asked, fetched, ' +
      'complained, the verdict, and what happens next. Devices are a page at a time, in the order of their ids; those ' +
      'that no longer take updates are among them for 90 days. A device that did not fetch is pushed again by itself. ' +
      '`walletB` is how the pass stands at Google Wallet, which tells its phones itself.',
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
