import { Body, Controller, HttpCode, Ip, Post } from '@nestjs/common';
import { ApiAcceptedResponse, ApiNoContentResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiErrors, Caller, Public, RequireUser, SecretResponse, Unauthorized, type Principal } from '@passwright/core';
import { EmailTaken } from '../users/users.errors.js';
import {
  ChangeEmailRequest,
  ChangePasswordRequest,
  ConfirmEmailRequest,
  ForgotPasswordRequest,
  ResetPasswordRequest,
} from './credentials.dto.js';
import { EmailChangesService } from './email-changes.service.js';
import { ForgottenPasswordsService } from './forgotten-passwords.service.js';
import { PasswordChangesService } from './password-changes.service.js';

@ApiTags('auth')
@Controller('v1/auth')
export class CredentialsController {
  constructor(
    private readonly forgotten: ForgottenPasswordsService,
    private readonly passwords: PasswordChangesService,
    private readonly emails: EmailChangesService,
  ) {}

  @Post('password/forgot')
  @HttpCode(202)
  @Public()
  @ApiOperation({
    operationId: 'forgotPassword',
    summary: 'Request a password reset',
    description:
      'E-mails a link to set a new password. The link works once, within an hour. The response is the same if ' +
      'no user has this e-mail. After ten requests in an hour, the mail may take five minutes.',
  })
  @ApiAcceptedResponse({ description: 'If a user has this e-mail, the mail will be sent.' })
  forget(@Body() { email }: ForgotPasswordRequest, @Ip() ip: string | undefined): Promise<void> {
    return this.forgotten.forget(email, ip);
  }

  @Post('password/reset')
  @HttpCode(204)
  @Public()
  @ApiOperation({
    operationId: 'resetPassword',
    summary: 'Set a new password',
    description:
      'Takes the code from the link in the e-mail, which works once. Ends all sessions of the user, in every account.',
  })
  @ApiNoContentResponse({ description: 'The password is set. Log in with it.' })
  @ApiErrors(Unauthorized)
  async reset(@Body() { code, password }: ResetPasswordRequest, @Ip() ip: string | undefined): Promise<void> {
    await this.forgotten.reset(code, password, ip);
  }

  @Post('password')
  @HttpCode(204)
  @RequireUser()
  // Store no hash of the body, because it contains passwords.
  @SecretResponse()
  @ApiOperation({
    operationId: 'changePassword',
    summary: 'Change your password',
    description:
      'Ends the other sessions of the user in every account and keeps the current session. 403 for a wrong ' +
      'password.',
  })
  @ApiNoContentResponse({ description: 'The password is changed.' })
  change(
    @Caller() caller: Principal,
    @Body() { currentPassword, newPassword }: ChangePasswordRequest,
    @Ip() ip: string | undefined,
  ): Promise<void> {
    return this.passwords.change(caller, currentPassword, newPassword, ip);
  }

  @Post('email')
  @HttpCode(202)
  @RequireUser()
  @SecretResponse()
  @ApiOperation({
    operationId: 'changeEmail',
    summary: 'Change your e-mail',
    description:
      'E-mails a link to the new address, which confirms the change within a day. If another user has the ' +
      'address, the response is the same, and that user gets a notice. 403 for a wrong password.',
  })
  @ApiAcceptedResponse({ description: 'The e-mail to the new address will be sent.' })
  changeEmail(
    @Caller() caller: Principal,
    @Body() { email, password }: ChangeEmailRequest,
    @Ip() ip: string | undefined,
  ): Promise<void> {
    return this.emails.ask(caller, email, password, ip);
  }

  @Post('email/confirm')
  @HttpCode(204)
  @Public()
  @ApiOperation({
    operationId: 'confirmEmail',
    summary: 'Confirm a new e-mail',
    description: 'Takes the code from the link in the e-mail, which works once. Notifies the former address.',
  })
  @ApiNoContentResponse({ description: 'The e-mail is changed. From now on the user signs in with it.' })
  @ApiErrors(Unauthorized, EmailTaken)
  async confirm(@Body() { code }: ConfirmEmailRequest, @Ip() ip: string | undefined): Promise<void> {
    await this.emails.confirm(code, ip);
  }
}
