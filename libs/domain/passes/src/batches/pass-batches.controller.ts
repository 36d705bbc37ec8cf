import { Controller, Param, Post, Query, Req, Res, UseGuards } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  ApiErrors,
  Caller,
  DevelopmentSigningGuard,
  type Principal,
  RequireScope,
  UnsupportedMediaType,
  ValidationFailed,
} from '@passwright/core';
import { HttpOptions, sendLines, ndjsonLines } from '@passwright/http';
import { TemplateArchived, TemplateNotFound } from '@passwright/templates';
import type { Request, Response } from 'express';
import { ApiTemplateId } from '../passes/pass-api.decorators.js';
import { PassBatchQuery } from './pass-batch.dto.js';
import { PassBatchesService, type PassLine } from './pass-batches.service.js';

/** The maximum number of lines that are issued in one statement. */
const TOGETHER = 1000;
const text = { type: 'string' } as const;
const lines =
  '{"id":"seat-1","code":"A-1"}\n{"id":"seat-2","code":"A-2","fields":[{"key":"row","label":"Row","value":"2"}]}\n';
const responses =
  '{"index":0,"id":"seat-1","walletAUrl":"https://…","walletBUrl":"https://…","webUrl":"https://…"}\n' +
  '{"index":1,"statusCode":409,"code":"pass_exists","error":"Conflict","message":"…","docUrl":"https://…"}\n';

@ApiTags('passes')
@Controller('v1/pass')
@UseGuards(DevelopmentSigningGuard)
export class PassBatchesController {
  constructor(
    private readonly batches: PassBatchesService,
    private readonly options: HttpOptions,
  ) {}

  @Post(':templateId/batch')
  @RequireScope('passes:write')
  @ApiOperation({
    operationId: 'createPasses',
    summary: 'Issue many passes',
    description:
      'NDJSON with one pass per line, in the format for a single pass. The response has one line per request ' +
      'line, in the same order, and begins while lines are still being sent. The number of lines is unlimited. Each ' +
      'response line has the `index` of its line, counted from 0, and the pass with its links or an error. An ' +
      'error does not stop the other lines. If you choose the ids, you can send the same lines again with ' +
      '`existing=skip` after an interruption.',
    requestBody: {
      required: true,
      content: { 'application/x-ndjson': { schema: text, examples: { seats: { value: lines } } } },
    },
  })
  @ApiTemplateId()
  @ApiOkResponse({
    description: 'One line per pass.',
    content: { 'application/x-ndjson': { schema: { ...text, example: responses } } },
  })
  @ApiErrors(ValidationFailed, TemplateNotFound, TemplateArchived, UnsupportedMediaType)
  async create(
    @Caller() { accountId }: Principal,
    @Param('templateId') templateId: string,
    @Query() query: PassBatchQuery,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const sent = ndjsonLines(request);
    await this.batches.requireTemplate(accountId, templateId);
    await sendLines(request, response, sent, {
      most: TOGETHER,
      errorHelpUrl: this.options.errorHelpUrl,
      check: (lines) => this.batches.read(accountId, templateId, lines),
      work: (passes: PassLine[]) => this.batches.issue(accountId, templateId, passes, query),
    });
  }
}
