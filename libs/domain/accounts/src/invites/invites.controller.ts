import type { IncomingMessage } from 'node:http';
import { Body, Controller, Delete, Get, HttpCode, Ip, Param, Post, Query, Req } from '@nestjs/common';
import {
  ApiBody,
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiTags,
} from '@nestjs/swagger';
import {
  ApiErrors,
  ApiPage,
  Caller,
  Forbidden,
  LimitExceeded,
  MalformedJson,
  PageQuery,
  Public,
  RequireScope,
  SecretAnswer,
  TokenExpired,
  Unauthorized,
  ValidationFailed,
  type Page,
  type Principal,
} from '@passwright/core';
import { TokensResponse } from '../auth/auth.dto.js';
import { AuthService } from '../auth/auth.service.js';
import { Authenticator } from '../auth/authenticator.service.js';
import { InvitationReader } from './invitation-reader.service.js';
import { InviteAcceptanceService } from './invite-acceptance.service.js';
import { codeExample, InvitationResponse, InviteAcceptance, InviteRequest, InviteResponse } from './invite.dto.js';
import { AlreadyInAccount, InviteExpired, InviteNotFound, InvitedUserExists } from './invites.errors.js';
import { InvitesService } from './invites.service.js';

const acceptanceExamples = {
  'Somebody new': { value: { name: 'Grace Hopper', password: 'correct horse battery staple' } },
  'A user, with their access token': { value: {} },
};
const ApiCode = () => ApiParam({ name: 'code', description: 'As it came in the e-mail.', example: codeExample });

@ApiTags('accounts')
@Controller('v1/account')
export class InvitesController {
  constructor(
    private readonly invites: InvitesService,
    private readonly reader: InvitationReader,
    private readonly acceptance: InviteAcceptanceService,
    private readonly authenticator: Authenticator,
    private readonly auth: AuthService,
  ) {}

  @Post('invite')
  @RequireScope('account:write')
  @SecretAnswer()
  @ApiOperation({
    operationId: 'inviteUser',
    summary: 'Invite a user',
    description:
      'Sends an e-mail with a link that works once, for 7 days, and for this address alone. The same address again ' +
      'replaces the open invitation, whose link then works no more. The invited need not have a user.',
  })
  @ApiCreatedResponse({ type: InviteResponse })
  @ApiErrors(ValidationFailed, MalformedJson, LimitExceeded, AlreadyInAccount)
  invite(@Caller() caller: Principal, @Body() request: InviteRequest): Promise<InviteResponse> {
    return this.invites.invite(caller, request);
  }

  @Get('invites')
  @RequireScope('account:write')
  @SecretAnswer()
  @ApiOperation({
    operationId: 'listInvites',
    summary: 'List invitations',
    description: 'Those that can be accepted, the newest first.',
  })
  @ApiPage(InviteResponse)
  @ApiErrors(ValidationFailed)
  list(@Caller() caller: Principal, @Query() query: PageQuery): Promise<Page<InviteResponse>> {
    return this.invites.list(caller, query);
  }

  @Get('invites/:code')
  @Public()
  @SecretAnswer()
  @ApiOperation({
    operationId: 'getInvite',
    summary: 'Look at an invitation',
    description: 'For who holds its code: where to, by whom, until when, and whether a user is there to accept it.',
  })
  @ApiCode()
  @ApiOkResponse({ type: InvitationResponse })
  @ApiErrors(InviteNotFound, InviteExpired)
  show(@Param('code') code: string, @Ip() ip: string | undefined): Promise<InvitationResponse> {
    return this.reader.show(code, ip);
  }

  @Post('invites/:code/accept')
  @HttpCode(200)
  @Public()
  @SecretAnswer()
  @ApiOperation({
    operationId: 'acceptInvite',
    summary: 'Accept an invitation',
    security: [{}, { bearer: [] }],
    description:
      'Who has a user sends an access token of any of their accounts and no body; the e-mail has to be the one that was ' +
      'invited. Who has none sends `name` and `password`. The answer is a session in the account. An invitation works ' +
      'once: of simultaneous calls one succeeds. 403 without the code of the e-mail where the invitation makes an admin, ' +
      'or where `name` and `password` come for an e-mail that has a user.',
  })
  @ApiCode()
  @ApiBody({ type: InviteAcceptance, required: false, examples: acceptanceExamples })
  @ApiOkResponse({ type: TokensResponse })
  @ApiErrors(ValidationFailed, MalformedJson, Unauthorized, TokenExpired, Forbidden, LimitExceeded)
  @ApiErrors(InviteNotFound, InvitedUserExists, InviteExpired)
  async accept(
    @Param('code') code: string,
    @Body() request: InviteAcceptance,
    @Req() http: IncomingMessage & { readonly ip?: string },
  ): Promise<TokensResponse> {
    const caller = await this.authenticator.authenticateIfAsked(http);
    return this.auth.tokensOf(await this.acceptance.accept(code, caller, request, http.ip));
  }

  @Delete('invites/:code')
  @HttpCode(204)
  @RequireScope('account:write')
  @ApiOperation({
    operationId: 'revokeInvite',
    summary: 'Withdraw an invitation',
    description: 'Its link works no more. Named by its code, or by its `ref`.',
  })
  @ApiParam({ name: 'code', description: 'The code, or the `ref`.', example: codeExample.slice(0, 22) })
  @ApiNoContentResponse({ description: 'The invitation is withdrawn.' })
  @ApiErrors(InviteNotFound, InviteExpired)
  revoke(@Caller() caller: Principal, @Param('code') code: string): Promise<void> {
    return this.invites.revoke(caller, code);
  }
}
