import { Controller, Get, Param } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiErrors, Public, WalletUnavailable } from '@passwright/core';
import { ApiPublicPassAddress } from '../passes/pass-api.decorators.js';
import { PassNotFound } from '../passes/passes.errors.js';
import { PassesService } from '../passes/passes.service.js';

@ApiTags('passes')
@Controller('v1/pass')
export class GooglePassesController {
  constructor(private readonly passes: PassesService) {}

  @Get(':accountId/:templateId/:passId/walletB')
  @Public()
  @ApiOperation({
    operationId: 'getGooglePass',
    summary: 'The Google Wallet link of a pass',
    description: 'Answers 503 on a service without a Google Wallet issuer.',
  })
  @ApiPublicPassAddress()
  @ApiOkResponse({
    description: 'Where the pass is added to Google Wallet.',
    schema: { type: 'object', required: ['url'], properties: { url: { type: 'string' } } },
  })
  @ApiErrors(PassNotFound, WalletUnavailable)
  async walletB(
    @Param('accountId') accountId: string,
    @Param('templateId') templateId: string,
    @Param('passId') passId: string,
  ): Promise<never> {
    await this.passes.get({ accountId, templateId, passId });
    throw new WalletUnavailable('Google Wallet is not set up on this service.');
  }
}
