import { IncomingMessage, ServerResponse } from 'node:http';
import { Controller, Get, Query, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { ApiErrors, namesTag, parseTags, Public } from '@passwright/core';
import {
  ApiPublicPassAddress,
  pageHeaders,
  type PassAddress,
  PassNotFound,
  PublicPassAddress,
  readerOfRequest,
  withErrorPage,
} from '@passwright/passes';
import { ApiPageLanguage } from './page-api.decorators.js';
import { PassWasDeleted } from './web-views.errors.js';
import { type WebView, WebViewsService } from './web-views.service.js';

@ApiTags('passes')
@Controller('p')
export class WebViewsController {
  constructor(private readonly webViews: WebViewsService) {}

  @Get(':accountId/:templateId/:passId')
  @Public()
  @ApiOperation({
    operationId: 'getWebView',
    summary: "Show a pass's web view",
    description:
      'Shows the pass as a page in the language of the browser. Works without scripts; with scripts, it ' +
      'updates itself while it is open. Offers the wallet of the device first. Browsers also get errors as a ' +
      'page.',
  })
  @ApiPublicPassAddress()
  @ApiPageLanguage()
  @ApiOkResponse({ description: 'The page.', content: { 'text/html': { schema: { type: 'string' } } } })
  @ApiResponse({ status: 304, description: 'The page that you have is current.' })
  @ApiErrors(PassNotFound, PassWasDeleted)
  async get(
    @PublicPassAddress() address: PassAddress,
    @Query() { lang }: Record<string, unknown>,
    @Req() request: IncomingMessage,
    @Res({ passthrough: true }) response: ServerResponse,
  ): Promise<string | undefined> {
    return withErrorPage(request, response, async () => {
      const view = await this.webViews.get(address, readerOfRequest(request, lang));
      return this.respond(view, request, response);
    });
  }

  private async respond(view: WebView, { headers }: IncomingMessage, response: ServerResponse) {
    response.setHeader('ETag', view.etag);
    response.setHeader('Vary', 'Accept, Accept-Language, User-Agent');
    const known = headers['if-none-match'];
    if (known !== undefined && namesTag(parseTags(known), view.etag)) {
      response.statusCode = 304;
      response.setHeader('Cache-Control', 'private, no-cache');
      // Omit the header, because a browser would replace the policy of the cached page with this default.
      response.removeHeader('Content-Security-Policy');
      return undefined;
    }
    const page = await this.webViews.page(view);
    response.setHeaders(pageHeaders(page, view.development));
    response.setHeader('Content-Language', view.reader.language);
    return page.html;
  }
}
