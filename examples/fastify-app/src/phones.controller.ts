import {
  Body,
  Controller,
  Delete,
  Get,
  Headers,
  Param,
  Post,
  Query,
  Req,
  Res,
  UseFilters,
  VERSION_NEUTRAL,
} from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import {
  ApplePassesService,
  DeviceRegistrationsService,
  LatestPassesService,
  readPushToken,
  requirePassToken,
  sendPackage,
  UpdatedPassesService,
} from '@passwright/apple-wallet';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { WireErrorFilter } from './wire-error.filter.js';

const registration = 'devices/:deviceLibraryIdentifier/registrations/:passTypeIdentifier';

interface Device {
  readonly deviceLibraryIdentifier: string;
  readonly passTypeIdentifier: string;
}
type DeviceOfPass = Device & { readonly serialNumber: string };

/** The routes that phones call to keep passes current. Apple Wallet defines their paths. */
@Controller({ path: 'v1', version: VERSION_NEUTRAL })
@UseFilters(WireErrorFilter)
@ApiExcludeController()
export class PhonesController {
  constructor(
    private readonly applePasses: ApplePassesService,
    private readonly registrations: DeviceRegistrationsService,
    private readonly updatedPasses: UpdatedPassesService,
    private readonly latestPasses: LatestPassesService,
  ) {}

  @Post(`${registration}/:serialNumber`)
  async register(
    @Param() address: DeviceOfPass,
    @Headers('authorization') token: string,
    @Body() body: object,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    const wallet = this.requireToken(token, address.serialNumber);
    // `readPushToken` takes bytes, but Fastify has already parsed the body.
    const pushToken = readPushToken(Buffer.from(JSON.stringify(body)), wallet);
    void reply.status((await this.registrations.register(address, pushToken)) ? 201 : 200);
  }

  @Delete(`${registration}/:serialNumber`)
  async unregister(@Param() address: DeviceOfPass, @Headers('authorization') token: string): Promise<void> {
    this.requireToken(token, address.serialNumber);
    await this.registrations.unregister(address);
  }

  @Get(registration)
  async updated(
    @Param() device: Device,
    @Query('passesUpdatedSince') tag: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object | undefined> {
    const updated = await this.updatedPasses.list(device, tag, true);
    if (!updated) void reply.status(204);
    return updated ?? undefined;
  }

  @Get('passes/:passTypeIdentifier/:serialNumber')
  async latest(
    @Param() { passTypeIdentifier, serialNumber }: DeviceOfPass,
    @Headers('authorization') token: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    this.requireToken(token, serialNumber);
    const pass = await this.latestPasses.get(passTypeIdentifier, serialNumber);
    reply.hijack();
    await sendPackage(request.raw, reply.raw, pass, pass.build);
  }

  private requireToken(token: string, serialNumber: string): 'apple' | 'other' {
    return requirePassToken(token, this.applePasses.authenticationToken(serialNumber));
  }
}
