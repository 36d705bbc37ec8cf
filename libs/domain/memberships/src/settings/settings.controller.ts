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

const tagged = {
  headers: { ETag: { description: 'The version of the settings.', schema: { type: 'string' } } },
} as const;

@ApiTags('memberships')
@Controller('v1/memberships/settings')
export class SettingsController {
  constructor(private readonly settings: SettingsService) {}

  @Get()
  @RequireApiKey('members:read')
  @ApiOperation({ operationId: 'getMembershipSettings', summary: 'Read the membership settings' })
  @ApiOkResponse({ description: 'The membership settings.', type: MembershipSettingsResponse, ...tagged })
  @ApiErrors(NoMembershipSettings)
  async get(@Caller() { accountId }: Principal): Promise<Tagged<MembershipSettingsResponse>> {
    return taggedSettings(await this.settings.get(accountId));
  }

  @Put()
  @RequireApiKey('members:write')
  @ApiOperation({
    operationId: 'putMembershipSettings',
    summary: 'Set the membership settings',
    description:
      'Replaces all settings; omitted properties get their defaults. A new template applies only to the passes ' +
      'of new members. Other changes update existing members in the background. Past reminders are not sent.',
  })
  @ApiOkResponse({ description: 'The new settings.', type: MembershipSettingsResponse, ...tagged })
  @ApiErrors(ValidationFailed, TemplateNotFound, TemplateArchived, PreconditionFailed)
  async put(
    @Caller() { accountId }: Principal,
    @Body() request: MembershipSettingsRequest,
    @IfMatchTags() ifMatch: IfMatch,
  ): Promise<Tagged<MembershipSettingsResponse>> {
    return taggedSettings(await this.settings.put(accountId, request, ifMatch));
  }
}
