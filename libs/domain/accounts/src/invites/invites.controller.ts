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
  SecretResponse,
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
import { codeSchema, InvitationResponse, InviteAcceptance, InviteRequest, InviteResponse } from './invite.dto.js';
import { AlreadyInAccount, InviteExpired, InviteNotFound, InvitedUserExists } from './invites.errors.js';
import { InvitesService } from './invites.service.js';

const acceptanceExamples = {
  'A new user': { value: { name: 'Grace Hopper', password: 'correct horse battery staple' } },
  'A user, with their access token': { value: {} },
};
const ApiCode = () => ApiParam({ name: 'code', schema: codeSchema, description: 'The code from the e-mail.' });

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
  @SecretResponse()
  @ApiOperation({
    operationId: 'inviteUser',
    summary: 'Invite a user',
    description:
      'Sends an e-mail with a link that works once, only for this address, and for 7 days or until the ' +
      'API key that sent it expires. A new invitation of the same address replaces the open one, and the old link ' +
      'stops working. The invited person need not be a user yet. An API key with an expiry, tools or supervision cannot invite an admin.',
  })
  @ApiCreatedResponse({ type: InviteResponse })
  @ApiErrors(ValidationFailed, MalformedJson, LimitExceeded, AlreadyInAccount)
  invite(@Caller() caller: Principal, @Body() request: InviteRequest): Promise<InviteResponse> {
    return this.invites.invite(caller, request);
  }

  @Get('invites')
  @RequireScope('account:write')
  @SecretResponse()
  @ApiOperation({
    operationId: 'listInvites',
    summary: 'List invitations',
    description: 'Lists the open invitations, newest first.',
  })
  @ApiPage(InviteResponse)
  @ApiErrors(ValidationFailed)
  list(@Caller() caller: Principal, @Query() query: PageQuery): Promise<Page<InviteResponse>> {
    return this.invites.list(caller, query);
  }

  @Get('invites/:code')
  @Public()
  @SecretResponse()
  @ApiOperation({
    operationId: 'getInvite',
    summary: 'Show an invitation',
    description: 'Returns the account, the inviter, the expiry, and whether the invited person is already a user.',
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
  @SecretResponse()
  @ApiOperation({
    operationId: 'acceptInvite',
    summary: 'Accept an invitation',
    security: [{}, { bearer: [] }],
    description:
      'An existing user sends an access token and no body; their e-mail must be the invited one. A new user ' +
      'sends `name` and `password`. The response is a session in the account. An invitation works once. A ' +
      'future admin needs the code from the e-mail; any other code gets 403.',
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
    description: 'Takes the code or the `ref` of the invitation. Its link stops working.',
  })
  @ApiParam({
    name: 'code',
    schema: codeSchema,
    description: 'The code or the `ref`.',
  })
  @ApiNoContentResponse({ description: 'The invitation is withdrawn.' })
  @ApiErrors(InviteNotFound, InviteExpired)
  revoke(@Caller() caller: Principal, @Param('code') code: string): Promise<void> {
    return this.invites.revoke(caller, code);
  }
}
