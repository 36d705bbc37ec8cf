import { IncomingMessage, ServerResponse } from 'node:http';
import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { ApiErrors, Public, StorageUnavailable, WalletUnavailable } from '@passwright/core';
import { sendPackage } from '../packages/apple-package-response.js';
import { ApplePassesService } from '../packages/apple-passes.service.js';
import { ApiConditions, ApiPassToken, ApiPassType, ApiSerialNumber } from './device-api.decorators.js';
import { LatestPassesService } from './latest-passes.service.js';
import { PassRequestLimit } from './pass-request-limit.service.js';
import { requirePassToken } from '../packages/authentication-token.js';

const binary = { schema: { type: 'string', format: 'binary' } } as const;

/**
 * The route of the PassKit web service with which devices fetch passes.
 * @see https://developer.apple.com/documentation/walletpasses/adding-a-web-service-to-update-passes
 */
@ApiTags('walletA')
@Controller('v1')
export class LatestPassesController {
  constructor(
    private readonly passes: ApplePassesService,
    private readonly latestPasses: LatestPassesService,
    private readonly limit: PassRequestLimit,
  ) {}

  @Get('passes/:passTypeIdentifier/:serialNumber')
  @Public({ countsItself: true })
  @ApiPassToken()
  @ApiOperation({
    operationId: 'getLatestPass',
    summary: "Get a pass's current package",
    description: 'Apple Wallet calls this for each changed pass. A deleted pass has a void package without content.',
  })
  @ApiPassType()
  @ApiSerialNumber()
  @ApiConditions()
  @ApiOkResponse({ description: 'The package.', content: { 'application/vnd.apple.pkpass': binary } })
  @ApiResponse({ status: 304, description: 'The package that you have is current.' })
  @ApiErrors(WalletUnavailable, StorageUnavailable)
  async latest(
    @Param('passTypeIdentifier') passTypeIdentifier: string,
    @Param('serialNumber') serialNumber: string,
    @Req() request: IncomingMessage,
    @Res() response: ServerResponse,
  ): Promise<void> {
    requirePassToken(request.headers.authorization, this.passes.authenticationToken(serialNumber));
    this.limit.take(serialNumber);
    const pass = await this.latestPasses.get(passTypeIdentifier, serialNumber);
    this.latestPasses.noteFetch(serialNumber, pass, request, response);
    await sendPackage(request, response, pass, pass.build);
  }
}
