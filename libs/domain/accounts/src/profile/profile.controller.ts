import { Body, Controller, Get, Patch, Post } from '@nestjs/common';
import { ApiConsumes, ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  ApiErrors,
  Caller,
  IfMatchTags,
  LimitExceeded,
  MalformedJson,
  PreconditionFailed,
  RequireUser,
  SecretResponse,
  Tagged,
  ValidationFailed,
  type IfMatch,
  type Principal,
} from '@passwright/core';
import { TokensResponse } from '../auth/auth.dto.js';
import { AuthService } from '../auth/auth.service.js';
import { NewAccountRequest, ProfilePatch, ProfileResponse, taggedProfile } from './profile.dto.js';
import { ProfileService } from './profile.service.js';

@ApiTags('auth')
@Controller('v1/auth')
export class ProfileController {
  constructor(
    private readonly profile: ProfileService,
    private readonly auth: AuthService,
  ) {}

  @Get('me')
  @RequireUser()
  @ApiOperation({
    operationId: 'getMe',
    summary: 'Read your own user',
    description: 'Returns the user of the access token and the accounts of the user.',
  })
  @ApiOkResponse({ type: ProfileResponse })
  async get(@Caller() caller: Principal): Promise<Tagged<ProfileResponse>> {
    return taggedProfile(await this.profile.read(caller));
  }

  @Patch('me')
  @RequireUser()
  @ApiOperation({
    operationId: 'updateMe',
    summary: 'Change your own user',
    description: 'A JSON merge patch (RFC 7396). The name is the same in all accounts of the user.',
  })
  @ApiConsumes('application/json', 'application/merge-patch+json')
  @ApiOkResponse({ type: ProfileResponse })
  @ApiErrors(ValidationFailed, MalformedJson, PreconditionFailed)
  async change(
    @Caller() caller: Principal,
    @Body() patch: ProfilePatch,
    @IfMatchTags() ifMatch: IfMatch,
  ): Promise<Tagged<ProfileResponse>> {
    return taggedProfile(await this.profile.change(caller, patch, ifMatch));
  }

  @Post('accounts')
  @RequireUser()
  @SecretResponse()
  @ApiOperation({
    operationId: 'createAccount',
    summary: 'Create another account',
    description:
      'The user becomes the admin of the new account. The response is a new session in it; the current session stays ' +
      'open. 403 if the operator has closed registration, and for a user who is in 100 accounts.',
  })
  @ApiCreatedResponse({ type: TokensResponse })
  @ApiErrors(ValidationFailed, MalformedJson, LimitExceeded)
  async found(@Caller() caller: Principal, @Body() request: NewAccountRequest): Promise<TokensResponse> {
    return this.auth.tokensOf(await this.profile.found(caller, request));
  }
}
