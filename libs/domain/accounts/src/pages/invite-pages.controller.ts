import { IncomingMessage, ServerResponse } from 'node:http';
import { Controller, Get, Ip, Param, Post, Req, Res } from '@nestjs/common';
import { ApiConsumes, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { Public } from '@passwright/core';
import { codeSchema } from '../invites/invite.dto.js';
import { InvitePagesService } from './invite-pages.service.js';
import { ApiPages, TakesForm } from './page-api.decorators.js';
import { formOf, sendPage } from './page-response.js';

const ApiInviteCode = () => ApiParam({ name: 'code', schema: codeSchema, description: 'The code from the e-mail.' });

@ApiTags('accounts')
@Controller('invites')
export class InvitePagesController {
  constructor(private readonly pages: InvitePagesService) {}

  @Get(':code')
  @Public()
  @ApiOperation({
    operationId: 'showInvitePage',
    summary: 'Show an invitation page',
    description:
      'The link in the e-mail opens this page, which names the inviter and the account. Opening it accepts ' +
      'nothing.',
  })
  @ApiInviteCode()
  @ApiPages({ 404: 'the invitation does not exist.', 410: 'the invitation has ended.' })
  async show(
    @Param('code') code: string,
    @Ip() ip: string | undefined,
    @Res({ passthrough: true }) response: ServerResponse,
  ): Promise<string> {
    return sendPage(response, await this.pages.show(code, ip));
  }

  @Post(':code')
  @Public()
  @ApiOperation({
    operationId: 'sendInvitePage',
    summary: 'Accept an invitation by form',
    description: 'The form of the page sends this request. Programs use `POST /v1/account/invites/{code}/accept`.',
  })
  @ApiInviteCode()
  @ApiConsumes('application/x-www-form-urlencoded')
  @TakesForm({ name: 'Grace Hopper', password: 'correct horse battery staple' })
  @ApiPages({
    400: 'something is missing or wrong.',
    401: 'the user was just removed from the account.',
    403: 'the account or the user has reached a limit, or the e-mail of the user has changed.',
    404: 'the invitation does not exist.',
    409: 'a user with this e-mail now exists.',
    410: 'the invitation has ended.',
  })
  async send(
    @Param('code') code: string,
    @Req() { body }: IncomingMessage & { readonly body: unknown },
    @Ip() ip: string | undefined,
    @Res({ passthrough: true }) response: ServerResponse,
  ): Promise<string> {
    return sendPage(response, await this.pages.send(code, formOf(body), ip));
  }
}
