import { IncomingMessage, ServerResponse } from 'node:http';
import { Controller, Get, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { ApiErrors, Public, StorageUnavailable, WalletUnavailable } from '@passwright/core';
import { ApiPublicPassAddress, type PassAddress, PassNotFound, PublicPassAddress } from '@passwright/passes';
import { sendPackage } from './apple-package-response.js';
import { ApplePassesService } from './apple-passes.service.js';

const binary = { schema: { type: 'string', format: 'binary' } } as const;

@ApiTags('passes')
@Controller('v1/pass')
export class ApplePassesController {
  constructor(private readonly passes: ApplePassesService) {}

  @Get(':accountId/:templateId/:passId/walletA')
  @Public()
  @ApiOperation({
    operationId: 'getApplePass',
    summary: "Get a pass's Apple package",
    description:
      'Returns a signed `.pkpass`. The header `Passwright-Signing: development` marks a package that real ' +
      'devices reject.',
  })
  @ApiPublicPassAddress()
  @ApiOkResponse({ description: 'The package.', content: { 'application/vnd.apple.pkpass': binary } })
  @ApiResponse({ status: 304, description: 'The package that you have is current.' })
  @ApiErrors(PassNotFound, WalletUnavailable, StorageUnavailable)
  async walletA(
    @PublicPassAddress() address: PassAddress,
    @Req() request: IncomingMessage,
    @Res() response: ServerResponse,
  ): Promise<void> {
    const pass = await this.passes.get(address);
    await sendPackage(request, response, pass, () => this.passes.package(pass));
  }
}
