import type { ServerResponse } from 'node:http';
import { Body, Controller, Delete, Get, HttpCode, Ip, Req, Res } from '@nestjs/common';
import { ApiAcceptedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  answerParts,
  ApiErrors,
  Caller,
  InvalidTransition,
  MalformedJson,
  NotFound,
  RequireScope,
  scopes,
  RequireUser,
  SecretAnswer,
  ValidationFailed,
  type AuthenticatedRequest,
  type Principal,
} from '@passwright/core';
import { AccountDeletionResponse, DeleteAccountRequest } from './account-deletion.dto.js';
import { AccountDeletionService } from './account-deletion.service.js';
import { AccountExportService } from './account-export.service.js';

@ApiTags('accounts')
@Controller('v1/account')
export class AccountDeletionController {
  constructor(
    private readonly deletions: AccountDeletionService,
    private readonly exports: AccountExportService,
  ) {}

  @Delete()
  @HttpCode(202)
  @RequireUser()
  // No hash of a body with a password is kept.
  @SecretAnswer()
  @ApiOperation({
    operationId: 'deleteAccount',
    summary: 'Delete the account',
    description:
      'For admins, by their password. Nothing is deleted before `deletesAt`, seven days later unless the operator chose ' +
      'another delay. Until then API keys and changes are refused with 403, admins can export the account, and one of ' +
      'them can take the deletion back. All admins get an e-mail. Then passes on phones become empty and void, and all ' +
      'data is erased; users who are in no other account go too. docs/privacy.md lists what stays for how long.',
  })
  @ApiAcceptedResponse({ type: AccountDeletionResponse })
  @ApiErrors(ValidationFailed, MalformedJson)
  delete(
    @Caller() caller: Principal,
    @Body() { password }: DeleteAccountRequest,
    @Ip() ip: string | undefined,
  ): Promise<AccountDeletionResponse> {
    return this.deletions.request(caller, password ?? null, ip);
  }

  @Delete('deletion')
  @HttpCode(204)
  @RequireUser()
  @ApiOperation({
    operationId: 'keepAccount',
    summary: 'Take back the deletion',
    description: 'For admins. API keys and changes work again at once.',
  })
  @ApiNoContentResponse({ description: 'The account stays.' })
  @ApiErrors(NotFound, InvalidTransition)
  keep(@Caller() caller: Principal): Promise<void> {
    return this.deletions.withdraw(caller);
  }

  @Get('export')
  @RequireScope('account:write', ...scopes.filter((scope) => scope.endsWith(':read')))
  @ApiOperation({
    operationId: 'exportAccount',
    summary: 'Export the account',
    description:
      'Everything that is stored of the account, as one JSON object that is streamed: rows by table, without secrets. ' +
      'Images are named by their addresses. The stream breaks off when the credential is revoked. An API key needs all ' +
      'read scopes besides `account:write`.',
  })
  @ApiOkResponse({
    description: 'All of it, in one JSON object.',
    schema: {
      type: 'object',
      required: ['exportedAt', 'account', 'tables'],
      properties: {
        exportedAt: { type: 'string', format: 'date-time' },
        account: { type: 'object', additionalProperties: true },
        tables: { type: 'object', additionalProperties: true, description: 'Lists of rows by table.' },
      },
    },
  })
  export(
    @Caller() caller: Principal,
    @Req() request: AuthenticatedRequest,
    @Res() response: ServerResponse,
  ): Promise<void> {
    const disposition = { 'Content-Disposition': `attachment; filename="${caller.accountId}.json"` };
    return this.exports.inTurn(caller, () =>
      answerParts(request, response, this.exports.export(caller.accountId), disposition),
    );
  }
}
