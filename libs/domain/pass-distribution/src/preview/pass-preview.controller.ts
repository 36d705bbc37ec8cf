import { Controller, Get, Param, Query, Req, Res, type StreamableFile } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiErrors, Caller, type Principal, RequireScope, StorageUnavailable } from '@passwright/core';
import { ApiPassAddress, PassesService, PassNotFound } from '@passwright/passes';
import {
  sendPreview,
  ApiPreview,
  PreviewQuery,
  type PreviewHttpRequest,
  type PreviewHttpResponse,
  Previews,
  TemplatesService,
  templateTag,
} from '@passwright/templates';

@ApiTags('passes')
@Controller('v1/pass')
export class PassPreviewController {
  constructor(
    private readonly passes: PassesService,
    private readonly templates: TemplatesService,
    private readonly previews: Previews,
  ) {}

  @Get(':templateId/:passId/preview')
  @RequireScope('passes:read')
  @ApiTags('mcp')
  @ApiOperation({
    operationId: 'previewPass',
    summary: 'Preview a pass in each wallet',
    description:
      'Shows the current pass, including its state: an image (`png`, `svg`), a page with all images and the ' +
      'findings of the template lint (`html`), or the same as text (`json`). See also the preview of a ' +
      'template.',
  })
  @ApiPassAddress()
  @ApiPreview()
  @ApiErrors(PassNotFound, StorageUnavailable)
  async preview(
    @Caller() { accountId }: Principal,
    @Param('templateId') templateId: string,
    @Param('passId') passId: string,
    @Query() query: PreviewQuery,
    @Req() request: PreviewHttpRequest,
    @Res({ passthrough: true }) response: PreviewHttpResponse,
  ): Promise<StreamableFile | undefined> {
    const { pass } = await this.passes.get({ accountId, templateId, passId });
    const template = await this.templates.get(accountId, templateId);
    const versions = [templateTag(template), pass.createdAt.getTime(), pass.version];
    const subject = {
      template,
      pass,
      examined: { ...pass, thumbnailUrl: pass.thumbnail?.url ?? null },
      path: `/v1/pass/${encodeURIComponent(templateId)}/${encodeURIComponent(passId)}/preview`,
      version: [accountId, templateId, passId, ...versions].join('/'),
    };
    return sendPreview(request, response, this.previews, subject, query);
  }
}
