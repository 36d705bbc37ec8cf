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
  SecretAnswer,
  Unauthorized,
  ValidationFailed,
  type Principal,
} from '@passwright/core';
import { EmailTaken } from '../users/users.errors.js';
import { LoginRequest, RefreshTokenRequest, RegisterRequest, SwitchRequest, TokensResponse } from './auth.dto.js';
import { AuthService } from './auth.service.js';

const loginExample = { value: { email: 'ada@example.com', password: 'correct horse battery staple' } };

@ApiTags('auth')
@Controller('v1/auth')
export class AuthController {
  constructor(private readonly auth: AuthService) {}

  @Post('register')
  @Public()
  @SecretAnswer()
  @ApiOperation({
    operationId: 'register',
    summary: 'Register a user with a new account',
    description: 'The user is the admin of the account. 403 where the operator has closed registration.',
  })
  @ApiCreatedResponse({ type: TokensResponse })
  @ApiErrors(ValidationFailed, MalformedJson, Forbidden, EmailTaken)
  register(@Body() request: RegisterRequest, @Ip() ip: string | undefined): Promise<TokensResponse> {
    return this.auth.register(request, ip);
  }

  @Post('login')
  @HttpCode(200)
  @Public()
  @SecretAnswer()
  @ApiOperation({
    operationId: 'login',
    summary: 'Log in',
    description:
      'An unknown e-mail, a wrong password and an account the user is not in have the same answer. ' +
      'Failures are limited per address and per e-mail.',
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
  @SecretAnswer()
  @ApiOperation({
    operationId: 'refreshTokens',
    summary: 'Get the next pair of tokens',
    description:
      'A refresh token works once. Using one again ends the session for everybody who holds a token of it, so let one ' +
      'request at a time refresh.',
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
    description: 'Ends the session, its access tokens included, at once. The same answer when it had ended before.',
  })
  @ApiNoContentResponse({ description: 'The session has ended.' })
  @ApiErrors(ValidationFailed, MalformedJson)
  logout(@Body() { refreshToken }: RefreshTokenRequest): Promise<void> {
    return this.auth.logout(refreshToken);
  }

  @Post('switch')
  @HttpCode(200)
  @RequireUser()
  @SecretAnswer()
  @ApiOperation({
    operationId: 'switchAccount',
    summary: 'Act on another account',
    description: 'A session of its own in another account of the user; the one that asks goes on.',
  })
  @ApiOkResponse({ type: TokensResponse })
  @ApiErrors(ValidationFailed, MalformedJson)
  switch(@Caller() caller: Principal, @Body() { accountId }: SwitchRequest): Promise<TokensResponse> {
    return this.auth.switchAccount(caller, accountId);
  }
}
