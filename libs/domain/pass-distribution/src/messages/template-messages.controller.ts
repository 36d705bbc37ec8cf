import { Body, Controller, HttpCode, Param, Post } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { ApiErrors, Caller, type Principal, RequireScope, ValidationFailed } from '@passwright/core';
import { TemplateNotFound } from '@passwright/templates';
import { MessageListsService } from './message-lists.service.js';
import { TemplateMessageRequest } from './message-request.dto.js';
import { MessageForecast, MessageResponse } from './message.dto.js';
import { MessagesService } from './messages.service.js';

const templateId = { name: 'templateId', description: 'The id of the template.', example: 'autumn-concert' };

@ApiTags('messages')
@Controller('v1/templates/:templateId/messages')
export class TemplateMessagesController {
  constructor(
    private readonly messages: MessagesService,
    private readonly lists: MessageListsService,
  ) {}

  @Post()
  @RequireScope('passes:write')
  @ApiOperation({
    operationId: 'createTemplateMessage',
    summary: 'Message the holders of passes',
    description:
      'Sends a message to the passes of the template that match the filter at the time of sending. Each pass ' +
      'gets it at most once. `GET /v1/messages/{messageId}` shows the progress. Plan a message ten minutes ' +
      'ahead so that all phones can show it on the lock screen. Send an `Idempotency-Key` so that you can ' +
      'repeat a call whose response was lost.',
  })
  @ApiParam(templateId)
  @ApiCreatedResponse({ description: 'The message is scheduled.', type: MessageResponse })
  @ApiErrors(ValidationFailed, TemplateNotFound)
  create(
    @Caller() { accountId }: Principal,
    @Param('templateId') id: string,
    @Body() request: TemplateMessageRequest,
  ): Promise<MessageResponse> {
    return this.messages.createForTemplate({ accountId, id }, request);
  }

  @Post('dry-run')
  @HttpCode(200)
  @RequireScope('passes:read')
  @ApiOperation({
    operationId: 'dryRunTemplateMessage',
    summary: 'Forecast a message',
    description:
      'Counts the passes that the message would reach, by wallet, and the passes that it would skip, by ' +
      'reason. Sends nothing. Reads every pass of the template.',
  })
  @ApiParam(templateId)
  @ApiOkResponse({ description: 'The forecast.', type: MessageForecast })
  @ApiErrors(ValidationFailed, TemplateNotFound)
  dryRun(
    @Caller() { accountId }: Principal,
    @Param('templateId') id: string,
    @Body() request: TemplateMessageRequest,
  ): Promise<MessageForecast> {
    return this.lists.forecast(accountId, id, request);
  }
}
