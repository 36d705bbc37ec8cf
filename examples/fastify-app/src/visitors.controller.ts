import {
  Body,
  Controller,
  Get,
  type OnApplicationBootstrap,
  Param,
  Post,
  Req,
  Res,
  UseFilters,
  VERSION_NEUTRAL,
} from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { AccountsService } from '@passwright/accounts';
import { ApplePassesService, sendPackage } from '@passwright/apple-wallet';
import { randomId } from '@passwright/core';
import { Database } from '@passwright/database';
import { PassesOptions, PassesService } from '@passwright/passes';
import { TemplatesService } from '@passwright/templates';
import { IsString, Length } from 'class-validator';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { StaffOnly } from './museum/staff.guard.js';
import { WireErrorFilter } from './wire-error.filter.js';

const TEMPLATE = 'visitor';

// The services do not validate request bodies, so this class and the app's own pipe do.
class Name {
  @IsString()
  @Length(1, 100)
  fullName!: string;
}

interface SignedUp {
  readonly id: string;
  readonly passUrl: string;
}

/** Issues a pass to a visitor, and serves its package. */
@Controller({ path: 'visitors', version: VERSION_NEUTRAL })
@UseFilters(WireErrorFilter)
@ApiExcludeController()
export class VisitorsController implements OnApplicationBootstrap {
  private accountId = '';

  constructor(
    private readonly database: Database,
    private readonly accounts: AccountsService,
    private readonly templates: TemplatesService,
    private readonly passes: PassesService,
    private readonly applePasses: ApplePassesService,
    private readonly options: PassesOptions,
  ) {}

  /** Creates an account and a template. Your app would do this once, and store the account's id. */
  async onApplicationBootstrap(): Promise<void> {
    const { id } = await this.database.transaction((tx) => this.accounts.create(tx, { name: 'Museum' }));
    this.accountId = id;
    await this.templates.upsert(id, TEMPLATE, templateFor(this.options.baseUrl), null);
  }

  // The app chooses the id of the pass. Only a person who knows the id can fetch the pass.
  @Post()
  async signUp(@Body() { fullName }: Name): Promise<SignedUp> {
    const id = randomId();
    await this.passes.create(this.accountId, TEMPLATE, { id, primaryValue: fullName });
    return { id, passUrl: `${this.options.baseUrl}/visitors/${id}/pass` };
  }

  @Post(':passId/name')
  @StaffOnly()
  async rename(@Param('passId') passId: string, @Body() { fullName }: Name): Promise<void> {
    await this.passes.patch({ accountId: this.accountId, templateId: TEMPLATE, passId }, { primaryValue: fullName });
  }

  // Serve the package. `sendPackage` writes to Node's response, so `hijack` keeps Fastify from sending another.
  @Get(':passId/pass')
  async package(
    @Param('passId') passId: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const pass = await this.applePasses.get({ accountId: this.accountId, templateId: TEMPLATE, passId });
    reply.hijack();
    await sendPackage(request.raw, reply.raw, pass, () => this.applePasses.package(pass));
  }
}

function templateFor(baseUrl: string): Parameters<TemplatesService['upsert']>[2] {
  return {
    type: 'membership',
    title: 'Friend of the museum',
    issuerName: 'Museum',
    primaryLabel: 'Friend',
    foregroundColor: '#ffffff',
    backgroundColor: '#1f2a6b',
    // These images exist on every installation. Replace them with your own files, or with any public address.
    icon: `${baseUrl}/images/samples/icon.png`,
    logo: `${baseUrl}/images/samples/logo.png`,
    banner: `${baseUrl}/images/samples/banner.png`,
  };
}
