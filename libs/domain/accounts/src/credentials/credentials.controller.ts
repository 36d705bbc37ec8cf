import { Body, Controller, HttpCode, Ip, Post } from '@nestjs/common';
import { ApiAcceptedResponse, ApiNoContentResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiErrors, Caller, Public, RequireUser, SecretAnswer, Unauthorized, type Principal } from '@passwright/core';
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
    summary: 'Ask for a new password',
    description:
      'E-mails a link that sets a new password, once, within an hour. The answer is the same whether or not there is a ' +
      'user with this e-mail. After ten requests in an hour the mail comes within five minutes. Users who sign in through an identity provider may set a password this way too.',
  })
  @ApiAcceptedResponse({ description: 'If there is such a user, the e-mail is on its way.' })
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
      'With the code in the link of the e-mail, which works once. Every session of the user ends, in every account. The ' +
      'page that the link leads to does the same.',
  })
  @ApiNoContentResponse({ description: 'The password is set: log in with it.' })
  @ApiErrors(Unauthorized)
  async reset(@Body() { code, password }: ResetPasswordRequest, @Ip() ip: string | undefined): Promise<void> {
    await this.forgotten.reset(code, password, ip);
  }

  @Post('password')
  @HttpCode(204)
  @RequireUser()
  // No hash of a body with passwords is kept.
  @SecretAnswer()
  @ApiOperation({
    operationId: 'changePassword',
    summary: 'Change your password',
    description:
      "Ends the user's other sessions, in every account; the one that asks goes on. 403 for a wrong password.",
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
  @SecretAnswer()
  @ApiOperation({
    operationId: 'changeEmail',
    summary: 'Change your e-mail',
    description:
      'E-mails a link to the new address, which confirms it within a day; until then nothing changes. The answer is the ' +
      'same when the address is another user’s: only its mailbox learns of that. 403 for a wrong password.',
  })
  @ApiAcceptedResponse({ description: 'The e-mail is on its way to the new address.' })
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
    description:
      'With the code in the link of the e-mail, which works once. The former address is told. The page that the link ' +
      'leads to does the same.',
  })
  @ApiNoContentResponse({ description: 'The e-mail is changed: it signs the user in from now on.' })
  @ApiErrors(Unauthorized, EmailTaken)
  async confirm(@Body() { code }: ConfirmEmailRequest, @Ip() ip: string | undefined): Promise<void> {
    await this.emails.confirm(code, ip);
  }
}
