import { Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
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
import { MessageListsService } from './message-lists.service.js';
import { MessageRecipient, MessageResponse, MessagesQuery } from './message.dto.js';
import { MessageEnded, MessageNotFound } from './messages.errors.js';
import { MessagesService } from './messages.service.js';

const messageId = { name: 'messageId', description: 'The id of the message.', example: 'msg_3kTq9ZbXcVn1MlPoIu7Yt2' };

@ApiTags('messages')
@Controller('v1/messages')
export class MessagesController {
  constructor(
    private readonly messages: MessagesService,
    private readonly lists: MessageListsService,
  ) {}

  @Get()
  @RequireScope('passes:read')
  @ApiOperation({
    operationId: 'listMessages',
    summary: 'List messages',
    description:
      'Lists messages newest first, page by page, with their progress. Messages to one pass are deleted with the pass.',
  })
  @ApiPage(MessageResponse)
  @ApiErrors(ValidationFailed)
  list(@Caller() { accountId }: Principal, @Query() query: MessagesQuery): Promise<Page<MessageResponse>> {
    return this.lists.list(accountId, query);
  }

  @Get(':messageId')
  @RequireScope('passes:read')
  @ApiOperation({ operationId: 'getMessage', summary: 'Read a message and its progress' })
  @ApiParam(messageId)
  @ApiOkResponse({ type: MessageResponse })
  @ApiErrors(MessageNotFound)
  get(@Caller() { accountId }: Principal, @Param('messageId') id: string): Promise<MessageResponse> {
    return this.lists.get(accountId, id);
  }

  @Get(':messageId/recipients')
  @RequireScope('passes:read')
  @ApiOperation({
    operationId: 'listMessageRecipients',
    summary: 'List the recipients of a message',
    description: 'Lists the passes that got the message. Deleted passes are not listed.',
  })
  @ApiParam(messageId)
  @ApiPage(MessageRecipient)
  @ApiErrors(ValidationFailed, MessageNotFound)
  recipients(
    @Caller() { accountId }: Principal,
    @Param('messageId') id: string,
    @Query() query: PageQuery,
  ): Promise<Page<MessageRecipient>> {
    return this.lists.listRecipients(accountId, id, query);
  }

  @Post(':messageId/pause')
  @HttpCode(200)
  @RequireScope('passes:write')
  @ApiOperation({
    operationId: 'pauseMessage',
    summary: 'Pause a message',
    description: 'Stops the message after at most 500 more passes. 409 for a message that has ended.',
  })
  @ApiParam(messageId)
  @ApiOkResponse({ type: MessageResponse })
  @ApiErrors(MessageNotFound, MessageEnded)
  pause(@Caller() { accountId }: Principal, @Param('messageId') id: string): Promise<MessageResponse> {
    return this.messages.pause(accountId, id);
  }

  @Post(':messageId/resume')
  @HttpCode(200)
  @RequireScope('passes:write')
  @ApiOperation({
    operationId: 'resumeMessage',
    summary: 'Resume a message',
    description:
      'Continues the message where it was paused, so that no pass gets it twice. 409 for a message that has ended.',
  })
  @ApiParam(messageId)
  @ApiOkResponse({ type: MessageResponse })
  @ApiErrors(MessageNotFound, MessageEnded)
  resume(@Caller() { accountId }: Principal, @Param('messageId') id: string): Promise<MessageResponse> {
    return this.messages.resume(accountId, id);
  }

  @Post(':messageId/cancel')
  @HttpCode(200)
  @RequireScope('passes:write')
  @ApiOperation({
    operationId: 'cancelMessage',
    summary: 'Cancel a message',
    description:
      'Ends the message for good. Passes that have the message keep it. 409 for a message that has ended in another way.',
  })
  @ApiParam(messageId)
  @ApiOkResponse({ type: MessageResponse })
  @ApiErrors(MessageNotFound, MessageEnded)
  cancel(@Caller() { accountId }: Principal, @Param('messageId') id: string): Promise<MessageResponse> {
    return this.messages.cancel(accountId, id);
  }
}
