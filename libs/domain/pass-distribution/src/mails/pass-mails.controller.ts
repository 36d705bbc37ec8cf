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
      "The holder gets a mail with one button to the pass's page, its banner, when and where it is for, and your own " +
      'words if you like. It is sent in the background: `GET …/mails` tells what became of it. At most 10 mails of a ' +
      'pass and 5 to one address an hour, and as many of an account a day (UTC) as the installation allows; 409 for a pass that is void, redeemed or expired. Send an `Idempotency-Key` to be able to repeat a ' +
      'call whose answer got lost.',
  })
  @ApiPassAddress()
  @ApiAcceptedResponse({ description: 'It is on its way.', type: PassMailResponse })
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
    summary: 'List the e-mails that brought a pass',
    description: 'The newest first, a page at a time, with what became of each. They go when the pass is deleted.',
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
