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
      'Draws a sample pass as wallets show it: as an image (`png`, `svg`) or as a page with all images and the ' +
      'findings of the template lint (`html`). `json` lists the images, the findings and the texts that do not ' +
      'fit. Issues no pass. A `png` needs fonts on the server for scripts other than Latin, Greek and Cyrillic.',
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
