import { Controller, Get, Param, Query, Req, Res, type StreamableFile } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiErrors, Caller, type Principal, RequireScope, StorageUnavailable } from '@passwright/core';
import { ApiPassAddress, PassNotFound } from '@passwright/passes';
import {
  sendPreview,
  ApiPreview,
  PreviewQuery,
  type PreviewHttpRequest,
  type PreviewHttpResponse,
  Previews,
} from '@passwright/templates';
import { PassPreviewsService } from './pass-previews.service.js';

@ApiTags('passes')
@Controller('v1/pass')
export class PassPreviewController {
  constructor(
    private readonly subjects: PassPreviewsService,
    private readonly previews: Previews,
  ) {}

  @Get(':templateId/:passId/preview')
  @RequireScope('passes:read')
  @ApiTags('mcp')
  @ApiOperation({
    operationId: 'previewPass',
    summary: 'Preview a pass in each wallet',
    description:
      'Draws the pass as wallets show it: as an image (`png`, `svg`) or as a page with all images and the ' +
      'findings of the template lint (`html`). `json` lists the images, the findings and the texts that do not ' +
      'fit.',
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
    const subject = await this.subjects.subject({ accountId, templateId, passId }, query.lang ?? '');
    return sendPreview(request, response, this.previews, subject, query);
  }
}
