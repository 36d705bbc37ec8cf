import { ServerResponse } from 'node:http';
import { Controller, Get, Param, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiErrors, Public } from '@passwright/core';
import { ApiPublicPassAddress } from '../passes/pass-api.decorators.js';
import { PassNotFound } from '../passes/passes.errors.js';
import { pageHeaders } from './page-answer.js';
import { WebViewsService } from './web-views.service.js';

@ApiTags('passes')
@Controller('p')
export class WebViewsController {
  constructor(private readonly webViews: WebViewsService) {}

  @Get(':accountId/:templateId/:passId')
  @Public()
  @ApiOperation({
    operationId: 'getWebView',
    summary: 'The web view of a pass',
    description: 'A page that works without scripts. It shows what a wallet shows.',
  })
  @ApiPublicPassAddress()
  @ApiOkResponse({ description: 'The page.', content: { 'text/html': { schema: { type: 'string' } } } })
  @ApiErrors(PassNotFound)
  async get(
    @Param('accountId') accountId: string,
    @Param('templateId') templateId: string,
    @Param('passId') passId: string,
    @Res({ passthrough: true }) response: ServerResponse,
  ): Promise<string> {
    const view = await this.webViews.get({ accountId, templateId, passId });
    response.setHeaders(pageHeaders(view, view.development));
    return view.html;
  }
}
