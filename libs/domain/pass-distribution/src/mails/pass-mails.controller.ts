import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  ApiErrors,
  ApiPage,
  Caller,
  InvalidTransition,
  type Page,
  PageQuery,
  type Principal,
  RateLimited,
  RequireScope,
  ValidationFailed,
} from '@passwright/core';
import { ApiPassAddress, PassNotFound } from '@passwright/passes';
import { TemplateArchived } from '@passwright/templates';
import { PassMailResponse, SendPassRequest } from './pass-mail.dto.js';
import { PassMailsService } from './pass-mails.service.js';

@ApiTags('passes')
@Controller('v1/pass/:templateId/:passId')
export class PassMailsController {
  constructor(private readonly mails: PassMailsService) {}

  @Post('send')
  @HttpCode(202)
  @RequireScope('passes:write')
  @ApiOperation({
    operationId: 'sendPass',
    summary: 'Send a pass by e-mail',
    description:
      'Sends the holder a mail with a link to the pass’s page and optionally your own message. `GET ' +
      '…/mails` shows whether it was sent. At most 10 mails per pass and 5 per address in an hour; the ' +
      'installation may have a daily limit. 409 for a pass that is void, redeemed or expired. Send an ' +
      '`Idempotency-Key` so that you can repeat a call whose response was lost.',
  })
  @ApiPassAddress()
  @ApiAcceptedResponse({ description: 'The mail is queued.', type: PassMailResponse })
  @ApiErrors(ValidationFailed, PassNotFound, TemplateArchived, InvalidTransition, RateLimited)
  send(
    @Caller() { accountId }: Principal,
    @Param('templateId') templateId: string,
    @Param('passId') passId: string,
    @Body() request: SendPassRequest,
  ): Promise<PassMailResponse> {
    return this.mails.send({ accountId, templateId, passId }, request);
  }

  @Get('mails')
  @RequireScope('passes:read')
  @ApiOperation({
    operationId: 'listPassMails',
    summary: 'List the e-mails about a pass',
    description: 'Lists the e-mails newest first, page by page, with their status. They are deleted with the pass.',
  })
  @ApiPassAddress()
  @ApiPage(PassMailResponse)
  @ApiErrors(ValidationFailed, PassNotFound)
  list(
    @Caller() { accountId }: Principal,
    @Param('templateId') templateId: string,
    @Param('passId') passId: string,
    @Query() query: PageQuery,
  ): Promise<Page<PassMailResponse>> {
    return this.mails.list({ accountId, templateId, passId }, query);
  }
}
