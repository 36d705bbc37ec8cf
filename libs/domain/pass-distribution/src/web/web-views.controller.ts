import { IncomingMessage, ServerResponse } from 'node:http';
import { Controller, Get, Param, Query, Req, Res, UseInterceptors } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { ApiErrors, namesTag, parseTags, Public } from '@passwright/core';
import {
  ApiPublicPassAddress,
  PageErrorsInterceptor,
  pageHeaders,
  PassNotFound,
  readerOfRequest,
} from '@passwright/passes';
import { ApiPageLanguage } from './page-language.decorator.js';
import { PassWasDeleted } from './web-views.errors.js';
import { type WebView, WebViewsService } from './web-views.service.js';

@ApiTags('passes')
@Controller('p')
@UseInterceptors(PageErrorsInterceptor)
export class WebViewsController {
  constructor(private readonly webViews: WebViewsService) {}

  @Get(':accountId/:templateId/:passId')
  @Public()
  @ApiOperation({
    operationId: 'getWebView',
    summary: 'The web view of a pass',
    description:
      'A page that works without scripts and keeps itself current with one while it is open. It shows what a wallet ' +
      "shows, speaks the reader's language (`Accept-Language`) and offers the wallet of their device first " +
      '(`User-Agent`). Browsers get refusals as a page too.',
  })
  @ApiPublicPassAddress()
  @ApiPageLanguage()
  @ApiOkResponse({ description: 'The page.', content: { 'text/html': { schema: { type: 'string' } } } })
  @ApiResponse({ status: 304, description: 'The one you have is the current one.' })
  @ApiErrors(PassNotFound, PassWasDeleted)
  async get(
    @Param('accountId') accountId: string,
    @Param('templateId') templateId: string,
    @Param('passId') passId: string,
    @Query() { lang }: Record<string, unknown>,
    @Req() request: IncomingMessage,
    @Res({ passthrough: true }) response: ServerResponse,
  ): Promise<string | undefined> {
    const view = await this.webViews.get({ accountId, templateId, passId }, readerOfRequest(request, lang));
    return this.answer(view, request, response);
  }

  private async answer(view: WebView, { headers }: IncomingMessage, response: ServerResponse) {
    response.setHeader('ETag', view.etag);
    response.setHeader('Vary', 'Accept, Accept-Language, User-Agent');
    const known = headers['if-none-match'];
    if (known !== undefined && namesTag(parseTags(known), view.etag)) {
      response.statusCode = 304;
      response.setHeader('Cache-Control', 'private, no-cache');
      // A browser would put the service's usual policy in place of the page's own, which it keeps.
      response.removeHeader('Content-Security-Policy');
      return undefined;
    }
    const page = await this.webViews.page(view);
    response.setHeaders(pageHeaders(page, view.development));
    response.setHeader('Content-Language', view.reader.language);
    return page.html;
  }
}
