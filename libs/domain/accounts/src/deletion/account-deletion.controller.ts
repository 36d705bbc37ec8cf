import type { ServerResponse } from 'node:http';
import { Body, Controller, Delete, Get, HttpCode, Ip, Req, Res } from '@nestjs/common';
import { ApiAcceptedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  sendParts,
  ApiErrors,
  Caller,
  InvalidTransition,
  MalformedJson,
  NotFound,
  RequireScope,
  scopes,
  RequireUser,
  SecretResponse,
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
  // Store no hash of the body, because it contains a password.
  @SecretResponse()
  @ApiOperation({
    operationId: 'deleteAccount',
    summary: 'Delete the account',
    description:
      'For admins, confirmed by their password. The account is deleted at `deletesAt`, by default seven days ' +
      'later. Until then, any admin can cancel the deletion or export the account; API keys and changes get ' +
      '403. All admins get an e-mail. After that, passes on phones become empty and void, and all data is ' +
      'erased, including users who are in no other account. docs/privacy.md lists how long some data is kept.',
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
    summary: 'Cancel the deletion',
    description: 'For admins. API keys and changes work again immediately.',
  })
  @ApiNoContentResponse({ description: 'The deletion is cancelled.' })
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
      'Streams all stored data of the account, without secrets, as one JSON object: rows grouped by table. ' +
      'Images appear as URLs. The stream stops if the credential is revoked. An API key needs all read scopes ' +
      'in addition to `account:write`.',
  })
  @ApiOkResponse({
    description: 'All data of the account in one JSON object.',
    schema: {
      type: 'object',
      required: ['exportedAt', 'account', 'tables'],
      properties: {
        exportedAt: { type: 'string', format: 'date-time', description: 'The time of the export.' },
        account: { type: 'object', additionalProperties: true, description: 'The account and its users.' },
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
    return this.exports.inTurn(caller, async () => {
      // Check the credential again, because it may have been revoked while the export waited.
      await request.recheckAccess?.();
      await sendParts(request, response, this.exports.export(caller.accountId), disposition);
    });
  }
}
