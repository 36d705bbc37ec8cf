import { IncomingMessage } from 'node:http';
import { Controller, HttpCode, Post, Req } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiErrors, MalformedJson, Public, TakesBytes, ValidationFailed } from '@passwright/core';
import { DeviceLogsService } from './device-logs.service.js';
import { maxLogBytes, readLogs } from './log-request.js';

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
 * The route of the PassKit web service to which devices send logs.
 * @see https://developer.apple.com/documentation/walletpasses/adding-a-web-service-to-update-passes
 */
@ApiTags('walletA')
@Controller('v1')
export class DeviceLogsController {
  constructor(private readonly logs: DeviceLogsService) {}

  @Post('log')
  @HttpCode(200)
  @Public()
  @TakesBytes(maxLogBytes)
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
