import { Body, Controller, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import { ApiBody, ApiExtraModels, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import {
  ApiErrors,
  Caller,
  type Principal,
  RequireScope,
  StorageUnavailable,
  ValidationFailed,
} from '@passwright/core';
import { type LintDrafts, LintRequestPipe } from '../lint/lint-request.pipe.js';
import { LintRequest, lintExamples } from '../lint/lint-request.dto.js';
import { LintPass } from '../lint/template-lint.dto.js';
import { TemplateIdPipe } from '../templates/template-id.pipe.js';
import { templateRequests } from '../templates/template.dto.js';
import { TemplateNotFound } from '../templates/templates.errors.js';
import { DraftPreviewQuery, DraftPreviewResponse } from './draft-preview.dto.js';
import { DraftPreviews } from './draft-previews.service.js';
import type { PreviewHttpResponse } from './preview-response.js';

@ApiTags('templates')
@Controller('v1/templates')
export class DraftPreviewController {
  constructor(private readonly previews: DraftPreviews) {}

  @Post(':templateId/preview')
  @HttpCode(200)
  @RequireScope('templates:read')
  @ApiOperation({
    operationId: 'previewDraft',
    summary: 'Preview a draft',
    description:
      'Draws a template or a pass before it is saved: one picture for each wallet and theme, with the findings ' +
      'of the template lint and the texts that do not fit. Without `template`, it draws the stored template. ' +
      'Without `pass`, it draws a sample pass. Properties with mistakes are left out. Saves nothing. Shows only images ' +
      'that the service already stores.',
  })
  @ApiParam({
    name: 'templateId',
    description: 'The id of a stored template, or any id for a draft.',
    example: 'summer-sale',
  })
  @ApiExtraModels(LintPass, ...Object.values(templateRequests))
  @ApiBody({ type: LintRequest, required: false, examples: lintExamples })
  @ApiOkResponse({ description: 'The pictures, Apple Wallet first.', type: DraftPreviewResponse })
  @ApiErrors(ValidationFailed, TemplateNotFound, StorageUnavailable)
  preview(
    @Caller() { accountId }: Principal,
    @Param('templateId', TemplateIdPipe) templateId: string,
    @Query() query: DraftPreviewQuery,
    @Body(LintRequestPipe) drafts: LintDrafts,
    // `@Res` turns off idempotency keys for this route, so that the service does not store responses with pictures.
    @Res({ passthrough: true }) response: PreviewHttpResponse,
  ): Promise<DraftPreviewResponse> {
    response.set({ 'Cache-Control': 'no-store' });
    return this.previews.preview(accountId, templateId, drafts, query);
  }
}
