import { IncomingMessage, ServerResponse } from 'node:http';
import { Controller, Get, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import {
  ApiErrors,
  MalformedJson,
  Public,
  StorageUnavailable,
  TakesBytes,
  ValidationFailed,
  WalletUnavailable,
} from '@passwright/core';
import { sendPackage } from '../packages/apple-package-response.js';
import { ApplePassesService } from '../packages/apple-passes.service.js';
import { ApiConditions, ApiPassToken, ApiPassType, ApiSerialNumber } from './device-api.decorators.js';
import { DeviceLogsService } from '../logs/device-logs.service.js';
import { maxBytes, readLogs } from './device-request.js';
import { LatestPassesService } from './latest-passes.service.js';
import { PassRequestLimit } from './pass-request-limit.service.js';
import { requirePassToken } from '../packages/authentication-token.js';

const binary = { schema: { type: 'string', format: 'binary' } } as const;
const logBody = {
  type: 'object',
  required: ['logs'],
  properties: {
    logs: {
      type: 'array',
      items: { type: 'string' },
      example: ['Get pass task (serial number 4fQz8LwXk2bN0aVtYc7mRd) encountered error: received invalid pass data'],
    },
  },
};

/**
 * The routes of the PassKit web service with which devices fetch passes and send logs.
 * @see https://developer.apple.com/documentation/walletpasses/adding-a-web-service-to-update-passes
 */
@ApiTags('walletA')
@Controller('v1')
export class LatestPassesController {
  constructor(
    private readonly passes: ApplePassesService,
    private readonly latestPasses: LatestPassesService,
    private readonly logs: DeviceLogsService,
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

  @Post('log')
  @HttpCode(200)
  @Public()
  @TakesBytes(maxBytes.log)
  @ApiOperation({
    operationId: 'logFromDevice',
    summary: "Receive a device's log",
    description:
      'Apple Wallet calls this when an update fails. Lines that name the serial number of a pass are stored ' +
      'with it: the newest 50, for 30 days. At most 100 lines of 1,000 characters are read.',
  })
  @ApiBody({ description: 'The body is read as JSON, whatever its media type.', schema: logBody })
  @ApiOkResponse({ description: 'The log was received.' })
  @ApiErrors(ValidationFailed, MalformedJson)
  async log(@Req() { body }: IncomingMessage & { body: Buffer }): Promise<void> {
    await this.logs.take(readLogs(body));
  }
}
