import { Controller, Get, Param, Query, Req, Res, type StreamableFile } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { ApiErrors, Caller, type Principal, RequireScope, StorageUnavailable } from '@passwright/core';
import { samplePass } from '@passwright/wallet-renderers';
import { templateTag } from '../templates/template-response.dto.js';
import { TemplateNotFound } from '../templates/templates.errors.js';
import { TemplatesService } from '../templates/templates.service.js';
import { sendPreview, ApiPreview, type PreviewHttpRequest, type PreviewHttpResponse } from './preview-response.js';
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
    summary: 'Preview passes of a template',
    description:
      'Renders a sample pass in Apple Wallet, Google Wallet or on the web as an image (`png`, ' +
      '`svg`). A page (`html`) shows all of them, light and dark, with the findings of the ' +
      'template lint. `json` describes the same in words, with the addresses of the images. ' +
      'Texts are cut where the wallet cuts them, and listed under `cut`. Nothing is issued. ' +
      'For scripts other than Latin, Greek and Cyrillic, a `png` uses the fonts of the server, and a browser its own.',
  })
  @ApiParam({ name: 'templateId', description: 'The id that you choose for the template.', example: 'summer-sale' })
  @ApiPreview()
  @ApiErrors(TemplateNotFound, StorageUnavailable)
  async preview(
    @Caller() { accountId }: Principal,
    @Param('templateId') templateId: string,
    @Query() query: PreviewQuery,
    @Req() request: PreviewHttpRequest,
    @Res({ passthrough: true }) response: PreviewHttpResponse,
  ): Promise<StreamableFile | undefined> {
    const template = await this.templates.get(accountId, templateId);
    const subject = {
      template,
      pass: samplePass(template),
      examined: null,
      path: `/v1/templates/${encodeURIComponent(templateId)}/preview`,
      version: `${accountId}/${templateId}/${templateTag(template)}`,
    };
    return sendPreview(request, response, this.previews, subject, query);
  }
}
