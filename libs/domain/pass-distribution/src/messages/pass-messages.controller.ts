import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  ApiErrors,
  ApiPage,
  Caller,
  type Page,
  PageQuery,
  type Principal,
  RequireScope,
  ValidationFailed,
} from '@passwright/core';
import { ApiPassAddress, PassNotFound } from '@passwright/passes';
import { TemplateNotFound } from '@passwright/templates';
import { MessageListsService } from './message-lists.service.js';
import { PassMessageRequest } from './message-request.dto.js';
import { MessageResponse, PassMessageResponse } from './message.dto.js';
import { MessagesService } from './messages.service.js';

@ApiTags('messages')
@Controller('v1/pass/:templateId/:passId/messages')
export class PassMessagesController {
  constructor(
    private readonly messages: MessagesService,
    private readonly lists: MessageListsService,
  ) {}

  @Post()
  @RequireScope('passes:write')
  @ApiOperation({
    operationId: 'createPassMessage',
    summary: "Message a pass's holder",
    description:
      'Shows a message on the pass and notifies its holder. A pass shows its last 10 messages. In Apple ' +
      'Wallet, the first message of a pass arrives after two minutes. A void, redeemed or expired pass gets no ' +
      'message; `progress.skipped` says why. Send an `Idempotency-Key` so that you can repeat a call whose ' +
      'response was lost.',
  })
  @ApiPassAddress()
  @ApiCreatedResponse({ description: 'The message is sent or scheduled.', type: MessageResponse })
  @ApiErrors(ValidationFailed, TemplateNotFound, PassNotFound)
  create(
    @Caller() { accountId }: Principal,
    @Param('templateId') templateId: string,
    @Param('passId') passId: string,
    @Body() request: PassMessageRequest,
  ): Promise<MessageResponse> {
    return this.messages.createForPass({ accountId, templateId, passId }, request);
  }

  @Get()
  @RequireScope('passes:read')
  @ApiOperation({
    operationId: 'listPassMessages',
    summary: 'List the messages of a pass',
    description: 'Lists the messages of the pass, newest first. Wallets show the last 10.',
  })
  @ApiPassAddress()
  @ApiPage(PassMessageResponse)
  @ApiErrors(ValidationFailed, PassNotFound)
  list(
    @Caller() { accountId }: Principal,
    @Param('templateId') templateId: string,
    @Param('passId') passId: string,
    @Query() query: PageQuery,
  ): Promise<Page<PassMessageResponse>> {
    return this.lists.listOfPass({ accountId, templateId, passId }, query);
  }
}
