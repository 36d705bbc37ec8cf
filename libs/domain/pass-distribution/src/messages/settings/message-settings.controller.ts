import { Body, Controller, Get, Put } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiErrors, Caller, type Principal, RequireScope, ValidationFailed } from '@passwright/core';
import { MessageSettingsRequest, MessageSettingsResponse } from './message-settings.dto.js';
import { MessageSettingsService } from './message-settings.service.js';

@ApiTags('messages')
@Controller('v1/account/messages')
export class MessageSettingsController {
  constructor(private readonly settings: MessageSettingsService) {}

  @Get()
  @RequireScope('account:read')
  @ApiOperation({ operationId: 'getMessageSettings', summary: 'Read the message settings' })
  @ApiOkResponse({ description: 'The settings, or their defaults.', type: MessageSettingsResponse })
  get(@Caller() { accountId }: Principal): Promise<MessageSettingsResponse> {
    return this.settings.get(accountId);
  }

  @Put()
  @RequireScope('account:write')
  @ApiOperation({
    operationId: 'putMessageSettings',
    summary: 'Set the message settings',
    description:
      'Replaces all settings; omitted properties get their defaults. New quiet hours also apply to planned ' +
      'messages and to a message that is being sent.',
  })
  @ApiOkResponse({ description: 'The new settings.', type: MessageSettingsResponse })
  @ApiErrors(ValidationFailed)
  put(@Caller() { accountId }: Principal, @Body() request: MessageSettingsRequest): Promise<MessageSettingsResponse> {
    return this.settings.put(accountId, request);
  }
}
