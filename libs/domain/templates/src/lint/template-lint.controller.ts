import { Body, Controller, HttpCode, Param, Post } from '@nestjs/common';
import { ApiBody, ApiExtraModels, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import {
  ApiErrors,
  Caller,
  type Principal,
  RequireScope,
  StorageUnavailable,
  ValidationFailed,
} from '@passwright/core';
import { LintRequest, lintExamples } from './lint-request.dto.js';
import { type LintDrafts, LintRequestPipe } from './lint-request.pipe.js';
import { TemplateIdPipe } from '../templates/template-id.pipe.js';
import { LintResponse, LintPass, toLintResponse } from './template-lint.dto.js';
import { TemplateLint } from './template-lint.service.js';
import { templateRequests } from '../templates/template.dto.js';
import { TemplateNotFound } from '../templates/templates.errors.js';

@ApiTags('templates')
@Controller('v1/templates')
export class TemplateLintController {
  constructor(private readonly lint: TemplateLint) {}

  @Post(':templateId/lint')
  @HttpCode(200)
  @RequireScope('templates:read')
  @ApiTags('mcp')
  @ApiOperation({
    operationId: 'lintTemplate',
    summary: 'Lint a template and a pass',
    description:
      'Finds duplicate keys, truncated texts, unreadable colours, images that are too small, codes that no ' +
      'barcode can hold, and more. Without a body it checks the stored template. With `template` it checks ' +
      'that draft; a mistake that prevents saving is a finding with severity `error`. Saves nothing. Measures ' +
      'only images that the service already stores.',
  })
  @ApiParam({
    name: 'templateId',
    description: 'The id of a stored template, or any id for a draft.',
    example: 'summer-sale',
  })
  @ApiExtraModels(LintPass, ...Object.values(templateRequests))
  @ApiBody({ type: LintRequest, required: false, examples: lintExamples })
  @ApiOkResponse({ description: 'The findings, errors first.', type: LintResponse })
  @ApiErrors(ValidationFailed, TemplateNotFound, StorageUnavailable)
  async examine(
    @Caller() { accountId }: Principal,
    @Param('templateId', TemplateIdPipe) templateId: string,
    @Body(LintRequestPipe) drafts: LintDrafts,
  ): Promise<LintResponse> {
    return toLintResponse(await this.lint.lint(accountId, templateId, drafts));
  }
}
