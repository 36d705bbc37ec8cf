import { IncomingMessage, ServerResponse } from 'node:http';
import { Controller, Delete, Get, Header, HttpCode, Param, Post, Query, Req, Res } from '@nestjs/common';
import {
  ApiBody,
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiQuery,
  ApiTags,
} from '@nestjs/swagger';
import { ApiErrors, MalformedJson, Public, TakesBytes, ValidationFailed } from '@passwright/core';
import { ApplePassesService } from '../packages/apple-passes.service.js';
import { ApiDeviceName, ApiPassToken, ApiSerialNumber } from './device-api.decorators.js';
import { DeviceRegistrationsService } from './device-registrations.service.js';
import { maxRegistrationBytes, readPushToken } from './device-request.js';
import { PassRequestLimit } from './pass-request-limit.service.js';
import { requirePassToken } from '../packages/authentication-token.js';
import { UpdatedPassesResponse } from './updated-passes.dto.js';
import { UpdatedPassesService } from './updated-passes.service.js';

const registrationBody = {
  type: 'object',
  required: ['pushToken'],
  properties: {
    pushToken: {
      type: 'string',
      minLength: 1,
      maxLength: 200,
      pattern: '^[0-9A-Za-z]+$',
      example: '5e1f0c8a9b7d6e5f4a3b2c1d0e9f8a7b5e1f0c8a9b7d6e5f4a3b2c1d0e9f8a7b',
    },
  },
};

/**
 * The routes of the PassKit web service with which devices register for updates.
 * @see https://developer.apple.com/documentation/walletpasses/adding-a-web-service-to-update-passes
 */
@ApiTags('walletA')
@Controller('v1/devices')
export class DeviceRegistrationsController {
  constructor(
    private readonly passes: ApplePassesService,
    private readonly registrations: DeviceRegistrationsService,
    private readonly updatedPasses: UpdatedPassesService,
    private readonly limit: PassRequestLimit,
  ) {}

  @Post(':deviceLibraryIdentifier/registrations/:passTypeIdentifier/:serialNumber')
  @Public()
  @TakesBytes(maxRegistrationBytes)
  @ApiPassToken()
  @ApiOperation({
    operationId: 'registerDevice',
    summary: 'Register a device for updates',
    description:
      'Apple Wallet calls this when a pass is added, and whenever the push token of the device changes. The ' +
      'new push token applies to all passes of the device. Only Apple Wallet receives pushes.',
  })
  @ApiDeviceName()
  @ApiSerialNumber()
  @ApiBody({ description: 'The body is read as JSON, whatever its media type.', schema: registrationBody })
  @ApiCreatedResponse({ description: 'The device is now registered.' })
  @ApiOkResponse({ description: 'The device was already registered.' })
  @ApiErrors(ValidationFailed, MalformedJson)
  async register(
    @Param('deviceLibraryIdentifier') deviceLibraryIdentifier: string,
    @Param('passTypeIdentifier') passTypeIdentifier: string,
    @Param('serialNumber') serialNumber: string,
    @Req() { headers, body }: IncomingMessage & { body: Buffer },
    @Res({ passthrough: true }) response: ServerResponse,
  ): Promise<void> {
    const wallet = requirePassToken(headers.authorization, this.passes.authenticationToken(serialNumber));
    this.limit.takeRegistration(serialNumber);
    const address = { deviceLibraryIdentifier, passTypeIdentifier, serialNumber };
    const isNew = await this.registrations.register(address, readPushToken(body, wallet));
    response.statusCode = isNew ? 201 : 200;
  }

  @Delete(':deviceLibraryIdentifier/registrations/:passTypeIdentifier/:serialNumber')
  @HttpCode(200)
  @Public({ countsItself: true })
  @TakesBytes(maxRegistrationBytes)
  @ApiPassToken()
  @ApiOperation({
    operationId: 'unregisterDevice',
    summary: 'Unregister a device from updates',
    description: 'Apple Wallet calls this when a pass is deleted or its automatic updates are switched off.',
  })
  @ApiDeviceName()
  @ApiSerialNumber()
  @ApiOkResponse({ description: 'The device is not registered.' })
  @ApiErrors(ValidationFailed)
  async unregister(
    @Param('deviceLibraryIdentifier') deviceLibraryIdentifier: string,
    @Param('passTypeIdentifier') passTypeIdentifier: string,
    @Param('serialNumber') serialNumber: string,
    @Req() { headers }: IncomingMessage,
  ): Promise<void> {
    requirePassToken(headers.authorization, this.passes.authenticationToken(serialNumber));
    this.limit.take(serialNumber);
    await this.registrations.unregister({ deviceLibraryIdentifier, passTypeIdentifier, serialNumber });
  }

  @Get(':deviceLibraryIdentifier/registrations/:passTypeIdentifier')
  @Public()
  @Header('Cache-Control', 'private, no-store')
  @ApiOperation({
    operationId: 'listUpdatedPasses',
    summary: "List a device's changed passes",
    description: 'Apple Wallet calls this after a push to find the changed passes.',
  })
  @ApiDeviceName()
  @ApiQuery({
    name: 'passesUpdatedSince',
    required: false,
    description: 'The `lastUpdated` of the last response. Without a valid value, all passes of the device are listed.',
  })
  @ApiOkResponse({ description: 'The changed passes.', type: UpdatedPassesResponse })
  @ApiNoContentResponse({ description: 'No pass has changed.' })
  @ApiErrors(ValidationFailed)
  async list(
    @Param('deviceLibraryIdentifier') deviceLibraryIdentifier: string,
    @Param('passTypeIdentifier') passTypeIdentifier: string,
    @Query('passesUpdatedSince') tag: unknown,
    @Req() { method }: IncomingMessage,
    @Res({ passthrough: true }) response: ServerResponse,
  ): Promise<UpdatedPassesResponse | undefined> {
    const device = { deviceLibraryIdentifier, passTypeIdentifier };
    // The route also handles HEAD.
    const isNotified = method === 'GET';
    const updated = await this.updatedPasses.list(device, typeof tag === 'string' ? tag : undefined, isNotified);
    if (!updated) response.statusCode = 204;
    return updated ?? undefined;
  }
}
