import { IncomingMessage, ServerResponse } from 'node:http';
import { Controller, Get, Ip, Post, Query, Req, Res } from '@nestjs/common';
import { ApiConsumes, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Public } from '@passwright/core';
import { EmailPagesService } from './email-pages.service.js';
import { ApiCodeQuery, ApiPages, TakesForm, textOf } from './page-api.decorators.js';
import { formOf, sendPage } from './page-response.js';

@ApiTags('auth')
@Controller('email')
export class EmailPagesController {
  constructor(private readonly pages: EmailPagesService) {}

  @Get('confirm')
  @Public()
  @ApiOperation({
    operationId: 'showEmailConfirmation',
    summary: 'Show the e-mail confirmation page',
    description: 'The link in the e-mail opens this page. Its button confirms the new e-mail.',
  })
  @ApiCodeQuery()
  @ApiPages({ 410: 'the link no longer works.' })
  async show(
    @Query('code') code: unknown,
    @Ip() ip: string | undefined,
    @Res({ passthrough: true }) response: ServerResponse,
  ): Promise<string> {
    return sendPage(response, await this.pages.show(textOf(code), ip));
  }

  @Post('confirm')
  @Public()
  @ApiOperation({
    operationId: 'sendEmailConfirmation',
    summary: 'Confirm a new e-mail by form',
    description: 'The button of the page sends this request. Programs use `POST /v1/auth/email/confirm`.',
  })
  @ApiConsumes('application/x-www-form-urlencoded')
  @TakesForm({ code: 'q2J7m0c4VfT1x9Lr6bWz3Yk8HdSaGnPuEoIt5QvCyMw' })
  @ApiPages({ 409: 'another user now has the address.', 410: 'the link no longer works.' })
  async send(
    @Req() { body }: IncomingMessage & { readonly body: unknown },
    @Ip() ip: string | undefined,
    @Res({ passthrough: true }) response: ServerResponse,
  ): Promise<string> {
    return sendPage(response, await this.pages.send(formOf(body), ip));
  }
}
