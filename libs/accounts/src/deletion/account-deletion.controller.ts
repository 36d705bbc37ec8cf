import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Body, Controller, Delete, Get, HttpCode, Ip, Logger, Res } from '@nestjs/common';
import { ApiAcceptedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  ApiErrors,
  Caller,
  InvalidTransition,
  MalformedJson,
  NotFound,
  RequireScope,
  RequireUser,
  SecretAnswer,
  ValidationFailed,
  type Principal,
} from '@passwright/core';
import { AccountDeletionResponse, DeleteAccountRequest } from './account-deletion.dto.js';
import { AccountDeletionService } from './account-deletion.service.js';
import { AccountExportService } from './account-export.service.js';

@ApiTags('accounts')
@Controller('v1/account')
export class AccountDeletionController {
  private readonly logger = new Logger('AccountExport');

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
  @RequireScope('account:write')
  @ApiOperation({
    operationId: 'exportAccount',
    summary: 'Export the account',
    description:
      'Everything that is stored of the account, as one JSON object that is streamed: rows by table, without secrets. ' +
      'Images are named by their addresses.',
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
  async export(@Caller() caller: Principal, @Res() response: ServerResponse): Promise<void> {
    const parts = this.exports.export(caller);
    // What fails before anything is sent is answered as an error.
    const first = await parts.next();
    response.writeHead(200, {
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Disposition': `attachment; filename="${caller.accountId}.json"`,
      'Cache-Control': 'no-store',
    });
    response.write(first.done ? '' : first.value);
    await pipeline(Readable.from(parts), response).catch((error: unknown) => {
      const isGone = error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE';
      if (!isGone) this.logger.error('An export broke off', error instanceof Error ? error.stack : error);
      response.destroy();
    });
  }
}
