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
      'Send NDJSON with one pass per line, any number of lines. The response streams one line per request ' +
      'line, in the same order: the `index` of the line, from 0, and the pass or an error. An error does not ' +
      'stop the other lines. After an interruption, send the lines again with `existing=skip`; this needs your ' +
      'own ids.',
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
