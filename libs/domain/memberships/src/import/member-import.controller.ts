import { Controller, Post, Query, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  ApiErrors,
  Caller,
  InvalidTransition,
  type Principal,
  RequireApiKey,
  UnsupportedMediaType,
  ValidationFailed,
} from '@passwright/core';
import { HttpOptions, sendLines, ndjsonLines } from '@passwright/http';
import type { Request, Response } from 'express';
import type { NewMember } from '../members/members.service.js';
import { csvLines } from './member-csv.js';
import { MemberImportQuery } from './member-import.dto.js';
import { MemberImportService } from './member-import.service.js';

/**
 * Number of lines imported in one transaction. It is small, because the transaction blocks other writers of the
 * account, and some of its steps block the event loop.
 */
const TOGETHER = 50;
const text = { type: 'string' } as const;
const ndjsonExample =
  '{"email":"ada@example.com","name":"Ada Lovelace","status":"active","expiry":"2030-12-31T23:00:00.000Z"}\n' +
  '{"email":"grace@example.com","name":"Grace Hopper"}\n';
const csvExample = 'email,name,status,expiry,tier\nada@example.com,Ada Lovelace,active,2030-12-31T23:00:00.000Z,gold\n';
const responseExample =
  '{"index":0,"id":1,"templateId":"membership","passId":"0qBv1XaJt9mLr4cWnY7sKe","links":{…}}\n' +
  '{"index":1,"statusCode":409,"code":"member_exists","error":"Conflict","message":"…","docUrl":"https://…"}\n';

@ApiTags('memberships')
@Controller('v1/memberships/members')
export class MemberImportController {
  constructor(
    private readonly imports: MemberImportService,
    private readonly options: HttpOptions,
  ) {}

  @Post('import')
  @RequireApiKey('members:write')
  @ApiOperation({
    operationId: 'importMembers',
    summary: 'Create many members',
    description:
      'Send NDJSON with one member per line, or CSV, any number of lines. The first line of a CSV names the ' +
      'columns `email`, `name`, `status` and `expiry`; any other column goes into `data`. The response streams ' +
      'one line per member, in the same order: the `index` of the line, from 0, and the member or an error. An ' +
      'invalid line does not stop the others. After an interruption, send the file again with `existing=skip`.',
    requestBody: {
      required: true,
      content: {
        'application/x-ndjson': { schema: text, examples: { ndjson: { value: ndjsonExample } } },
        'text/csv': { schema: text, examples: { csv: { value: csvExample } } },
      },
    },
  })
  @ApiOkResponse({
    description: 'One line for each line of the request.',
    content: { 'application/x-ndjson': { schema: { ...text, example: responseExample } } },
  })
  @ApiErrors(ValidationFailed, InvalidTransition, UnsupportedMediaType)
  async import(
    @Caller() { accountId }: Principal,
    @Query() query: MemberImportQuery,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const lines = linesOf(request);
    await this.imports.requireSettings(accountId);
    await sendLines(request, response, lines, {
      most: TOGETHER,
      errorHelpUrl: this.options.errorHelpUrl,
      check: (values) => this.imports.read(values),
      work: (requested: NewMember[]) => this.imports.import(accountId, requested, query),
    });
  }
}

function linesOf(request: Request): ReturnType<typeof csvLines> {
  const isCsv = /^\s*text\/csv\b/i.test(request.headers['content-type'] ?? '');
  return isCsv ? csvLines(request) : ndjsonLines(request);
}
