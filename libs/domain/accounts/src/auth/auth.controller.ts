import { Body, Controller, HttpCode, Ip, Post } from '@nestjs/common';
import {
  ApiBody,
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import {
  ApiErrors,
  Caller,
  Forbidden,
  MalformedJson,
  Public,
  RequireUser,
  SecretResponse,
  Unauthorized,
  ValidationFailed,
  type Principal,
} from '@passwright/core';
import { EmailTaken } from '../users/users.errors.js';
import { LoginRequest, RefreshTokenRequest, RegisterRequest, SwitchRequest, TokensResponse } from './auth.dto.js';
import { AuthService } from './auth.service.js';

const loginExample = { value: { email: 'mary@example.com', password: 'correct horse battery staple' } };

@ApiTags('auth')
@Controller('v1/auth')
export class AuthController {
  constructor(private readonly auth: AuthService) {}

  @Post('register')
  @Public()
  @SecretResponse()
  @ApiOperation({
    operationId: 'register',
    summary: 'Register a user',
    description:
      'Creates the user and a new account, with the user as its admin. 403 if the operator has closed ' +
      'registration.',
  })
  @ApiCreatedResponse({ type: TokensResponse })
  @ApiErrors(ValidationFailed, MalformedJson, Forbidden, EmailTaken)
  register(@Body() request: RegisterRequest, @Ip() ip: string | undefined): Promise<TokensResponse> {
    return this.auth.register(request, ip);
  }

  @Post('login')
  @HttpCode(200)
  @Public()
  @SecretResponse()
  @ApiOperation({
    operationId: 'login',
    summary: 'Log in',
    description:
      'An unknown e-mail, a wrong password and an account that the user is not in get the same response. ' +
      'Failed logins are limited per IP address and per e-mail.',
  })
  @ApiBody({ type: LoginRequest, examples: { 'The user of the registration example': loginExample } })
  @ApiOkResponse({ type: TokensResponse })
  @ApiErrors(ValidationFailed, MalformedJson, Unauthorized)
  login(@Body() request: LoginRequest, @Ip() ip: string | undefined): Promise<TokensResponse> {
    return this.auth.login(request, ip);
  }

  @Post('refresh')
  @HttpCode(200)
  @Public()
  @SecretResponse()
  @ApiOperation({
    operationId: 'refreshTokens',
    summary: 'Refresh the tokens',
    description:
      'A refresh token works once. Using it again ends the session for everyone who holds one of its tokens, so ' +
      'do not send concurrent refresh requests.',
  })
  @ApiOkResponse({ type: TokensResponse })
  @ApiErrors(ValidationFailed, MalformedJson, Unauthorized)
  refresh(@Body() { refreshToken }: RefreshTokenRequest, @Ip() ip: string | undefined): Promise<TokensResponse> {
    return this.auth.refresh(refreshToken, ip);
  }

  @Post('logout')
  @HttpCode(204)
  @Public()
  @ApiOperation({
    operationId: 'logout',
    summary: 'Log out',
    description:
      'Ends the session and its access tokens immediately. The response is the same if the session had already ' +
      'ended.',
  })
  @ApiNoContentResponse({ description: 'The session has ended.' })
  @ApiErrors(ValidationFailed, MalformedJson)
  logout(@Body() { refreshToken }: RefreshTokenRequest): Promise<void> {
    return this.auth.logout(refreshToken);
  }

  @Post('switch')
  @HttpCode(200)
  @RequireUser()
  @SecretResponse()
  @ApiOperation({
    operationId: 'switchAccount',
    summary: 'Switch to another account',
    description: 'Opens a new session in another account of the user. The current session stays open.',
  })
  @ApiOkResponse({ type: TokensResponse })
  @ApiErrors(ValidationFailed, MalformedJson)
  switch(@Caller() caller: Principal, @Body() { accountId }: SwitchRequest): Promise<TokensResponse> {
    return this.auth.switchAccount(caller, accountId);
  }
}
