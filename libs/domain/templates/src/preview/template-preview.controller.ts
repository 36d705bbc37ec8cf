import { Controller, Get, Param, Query, Req, Res, type StreamableFile } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { ApiErrors, Caller, type Principal, RequireScope } from '@passwright/core';
import { samplePass } from '@passwright/wallet-renderers';
import { templateTag } from '../templates/template-response.dto.js';
import { TemplateNotFound } from '../templates/templates.errors.js';
import { TemplatesService } from '../templates/templates.service.js';
import { answerPreview, ApiPreview, type PreviewRequest, type PreviewResponse } from './preview-answer.js';
import { PreviewQuery } from './preview-query.dto.js';
import { Previews } from './previews.service.js';

@ApiTags('templates')
@Controller('v1/templates')
export class TemplatePreviewController {
  constructor(
    private readonly templates: TemplatesService,
    private readonly previews: Previews,
  ) {}

  @Get(':templateId/preview')
  @RequireScope('templates:read')
  @ApiTags('mcp')
  @ApiOperation({
    operationId: 'previewTemplate',
    summary: 'See how passes of a template look in each wallet',
    description:
      'A picture (`png`, `svg`) of a sample pass in Apple Wallet, Google Wallet or on the web; a page (`html`) with all ' +
      'of them, light and dark, and what the template lint finds; or that in words (`json`) with the addresses of the ' +
      'pictures. Texts that a wallet has no room for are cut as there, and listed under `cut`. Nothing is issued. Letters ' +
      'of Latin, Greek and Cyrillic script look the same everywhere; a `png` takes all others from the fonts of the ' +
      'server, which the container image has, and a browser takes them from its own.',
  })
  @ApiParam({ name: 'templateId', description: 'Chosen by the caller.', example: 'summer-sale' })
  @ApiPreview()
  @ApiErrors(TemplateNotFound)
  async preview(
    @Caller() { accountId }: Principal,
    @Param('templateId') templateId: string,
    @Query() query: PreviewQuery,
    @Req() request: PreviewRequest,
    @Res({ passthrough: true }) response: PreviewResponse,
  ): Promise<StreamableFile | undefined> {
    const template = await this.templates.get(accountId, templateId);
    const subject = {
      template,
      pass: samplePass(template),
      examined: null,
      path: `/v1/templates/${encodeURIComponent(templateId)}/preview`,
      version: `${accountId}/${templateId}/${templateTag(template)}`,
    };
    return answerPreview(request, response, this.previews, subject, query);
  }
}
