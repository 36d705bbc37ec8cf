import { Body, Controller, Get, Put } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  ApiErrors,
  Caller,
  type IfMatch,
  IfMatchTags,
  PreconditionFailed,
  type Principal,
  RequireApiKey,
  type Tagged,
  ValidationFailed,
} from '@passwright/core';
import { TemplateArchived, TemplateNotFound } from '@passwright/templates';
import { MembershipSettingsRequest, MembershipSettingsResponse, taggedSettings } from './settings.dto.js';
import { NoMembershipSettings } from './settings.errors.js';
import { SettingsService } from './settings.service.js';

const tagged = { headers: { ETag: { description: 'Names this version.', schema: { type: 'string' } } } } as const;

@ApiTags('memberships')
@Controller('v1/memberships/settings')
export class SettingsController {
  constructor(private readonly settings: SettingsService) {}

  @Get()
  @RequireApiKey('members:read')
  @ApiOperation({ operationId: 'getMembershipSettings', summary: 'Read how memberships work' })
  @ApiOkResponse({ description: 'The settings.', type: MembershipSettingsResponse, ...tagged })
  @ApiErrors(NoMembershipSettings)
  async get(@Caller() { accountId }: Principal): Promise<Tagged<MembershipSettingsResponse>> {
    return taggedSettings(await this.settings.get(accountId));
  }

  @Put()
  @RequireApiKey('members:write')
  @ApiOperation({
    operationId: 'putMembershipSettings',
    summary: 'Say how memberships work',
    description:
      "The body is all of it: what is left out gets its default. Another template is for new members' passes; those " +
      'there are stay what they are. When reminders, time zone or label change, members follow in the background: a ' +
      'reminder whose time has passed already is not sent any more.',
  })
  @ApiOkResponse({ description: 'The settings as they are now.', type: MembershipSettingsResponse, ...tagged })
  @ApiErrors(ValidationFailed, TemplateNotFound, TemplateArchived, PreconditionFailed)
  async put(
    @Caller() { accountId }: Principal,
    @Body() request: MembershipSettingsRequest,
    @IfMatchTags() ifMatch: IfMatch,
  ): Promise<Tagged<MembershipSettingsResponse>> {
    return taggedSettings(await this.settings.put(accountId, request, ifMatch));
  }
}
