import { IncomingMessage, ServerResponse } from 'node:http';
import { Controller, Get, Ip, Post, Query, Req, Res } from '@nestjs/common';
import { ApiConsumes, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Public } from '@passwright/core';
import { ApiCodeQuery, ApiPages, TakesForm, textOf } from './page-api.decorators.js';
import { formOf, sendPage } from './page-response.js';
import { PasswordPagesService } from './password-pages.service.js';

type FormRequest = IncomingMessage & { readonly body: unknown };

@ApiTags('auth')
@Controller('password')
export class PasswordPagesController {
  constructor(private readonly pages: PasswordPagesService) {}

  @Get('reset')
  @Public()
  @ApiOperation({
    operationId: 'showPasswordReset',
    summary: 'Show the password reset page',
    description: 'The link in the e-mail opens this page. Opening it does not use the code.',
  })
  @ApiCodeQuery()
  @ApiPages({ 410: 'the link no longer works.' })
  async showReset(
    @Query('code') code: unknown,
    @Ip() ip: string | undefined,
    @Res({ passthrough: true }) response: ServerResponse,
  ): Promise<string> {
    return sendPage(response, await this.pages.showReset(textOf(code), ip));
  }

  @Post('reset')
  @Public()
  @ApiOperation({
    operationId: 'sendPasswordReset',
    summary: 'Set a new password by form',
    description: 'The form of the page sends this request. Programs use `POST /v1/auth/password/reset`.',
  })
  @ApiConsumes('application/x-www-form-urlencoded')
  @TakesForm({ code: 'q2J7m0c4VfT1x9Lr6bWz3Yk8HdSaGnPuEoIt5QvCyMw', password: 'correct horse battery staple' })
  @ApiPages({ 400: 'the password is too short or too long.', 410: 'the link no longer works.' })
  async sendReset(
    @Req() { body }: FormRequest,
    @Ip() ip: string | undefined,
    @Res({ passthrough: true }) response: ServerResponse,
  ): Promise<string> {
    return sendPage(response, await this.pages.sendReset(formOf(body), ip));
  }

  @Get('forgot')
  @Public()
  @ApiOperation({ operationId: 'showForgotPassword', summary: 'Show the forgotten password page' })
  @ApiPages()
  showForgot(@Res({ passthrough: true }) response: ServerResponse): string {
    return sendPage(response, this.pages.showForgot());
  }

  @Post('forgot')
  @Public()
  @ApiOperation({
    operationId: 'sendForgotPassword',
    summary: 'Request a password reset by form',
    description: 'The form of the page sends this request. Programs use `POST /v1/auth/password/forgot`.',
  })
  @ApiConsumes('application/x-www-form-urlencoded')
  @TakesForm({ email: 'mary@example.com' })
  @ApiPages({ 400: 'this is not an e-mail address.' })
  async sendForgot(
    @Req() { body }: FormRequest,
    @Ip() ip: string | undefined,
    @Res({ passthrough: true }) response: ServerResponse,
  ): Promise<string> {
    return sendPage(response, await this.pages.sendForgot(formOf(body), ip));
  }
}
