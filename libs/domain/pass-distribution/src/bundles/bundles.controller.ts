import { IncomingMessage, ServerResponse } from 'node:http';
import { Controller, Get, Param, Query, Req, Res } from '@nestjs/common';
import { ApiFoundResponse, ApiOkResponse, ApiOperation, ApiQuery, ApiResponse, ApiTags } from '@nestjs/swagger';
import {
  ApiErrors,
  developmentSigning,
  namesTag,
  parseTags,
  Public,
  ValidationFailed,
  StorageUnavailable,
  WalletUnavailable,
} from '@passwright/core';
import { sendParts } from '@passwright/apple-wallet';
import { pageHeaders, readerOfRequest, withErrorPage } from '@passwright/passes';
import { PassPagesOptions } from '../pass-pages.options.js';
import { ApiPageLanguage } from '../web/page-api.decorators.js';
import { ApiAccountId, ApiBundledPasses } from './bundle-api.decorators.js';
import { BundlePagesService } from './bundle-pages.service.js';
import { bundledAddresses, bundleQuery } from './bundle-query.js';
import { BundledPassNotFound, BundleTooLarge, PassDeleted } from './bundles.errors.js';
import { type Bundle, BundlesService } from './bundles.service.js';
import { opensBundles } from './bundle-support.js';

@ApiTags('passes')
@Controller()
export class BundlesController {
  constructor(
    private readonly bundles: BundlesService,
    private readonly pages: BundlePagesService,
    private readonly options: PassPagesOptions,
  ) {}

  @Get('v1/pass/:accountId/bundle/walletA')
  @Public()
  @ApiOperation({
    operationId: 'getAppleBundle',
    summary: 'Get several Apple passes',
    description:
      'A `.pkpasses` file of 1 to 10 signed passes. Browsers that cannot open it are redirected to a page with ' +
      'the passes, unless the request has `download=1`.',
  })
  @ApiAccountId()
  @ApiBundledPasses()
  @ApiQuery({
    name: 'download',
    required: false,
    description: 'If present, every browser gets the file instead of the page.',
  })
  @ApiOkResponse({
    description: 'The bundle.',
    content: { 'application/vnd.apple.pkpasses': { schema: { type: 'string', format: 'binary' } } },
  })
  @ApiFoundResponse({ description: 'Redirects to the page, for browsers that cannot open bundles.' })
  @ApiResponse({ status: 304, description: 'The bundle that you have is current.' })
  @ApiErrors(ValidationFailed, BundleTooLarge, BundledPassNotFound, PassDeleted, WalletUnavailable, StorageUnavailable)
  async walletA(
    @Param('accountId') accountId: string,
    @Query() { pass, download }: Record<string, unknown>,
    @Req() request: IncomingMessage,
    @Res() response: ServerResponse,
  ): Promise<void> {
    const addresses = bundledAddresses(accountId, pass);
    if (download === undefined && !opensBundles(request)) {
      // Encode the account id, which may be any text, because headers accept only some characters.
      const page = `${this.options.baseUrl}/p/${encodeURIComponent(accountId)}/bundle`;
      const location = `${page}?${bundleQuery(addresses)}`;
      response.writeHead(302, { Location: location, Vary: 'Accept, User-Agent', 'Cache-Control': 'no-store' }).end();
      return;
    }
    await this.respond(await this.bundles.get(addresses), request, response);
  }

  @Get('p/:accountId/bundle')
  @Public()
  @ApiOperation({
    operationId: 'getBundlePage',
    summary: 'Show a page for several passes',
    description:
      'A page with buttons that add the passes to a wallet, together or one by one. Works without scripts, in ' +
      'the language of the browser. Offers the wallet of the device first. Browsers also get errors as a page.',
  })
  @ApiAccountId()
  @ApiBundledPasses()
  @ApiPageLanguage()
  @ApiOkResponse({ description: 'The page.', content: { 'text/html': { schema: { type: 'string' } } } })
  @ApiErrors(ValidationFailed, BundleTooLarge, BundledPassNotFound, PassDeleted)
  async page(
    @Param('accountId') accountId: string,
    @Query() { pass, lang }: Record<string, unknown>,
    @Req() request: IncomingMessage,
    @Res({ passthrough: true }) response: ServerResponse,
  ): Promise<string> {
    return withErrorPage(request, response, async () => {
      const reader = readerOfRequest(request, lang);
      const page = await this.pages.page(accountId, bundledAddresses(accountId, pass), reader, opensBundles(request));
      response.setHeaders(pageHeaders(page, page.development));
      response.setHeader('Vary', 'Accept, Accept-Language, User-Agent');
      response.setHeader('Content-Language', reader.language);
      return page.html;
    });
  }

  private async respond(bundle: Bundle, { method, headers }: IncomingMessage, response: ServerResponse): Promise<void> {
    const version = {
      ETag: bundle.etag,
      Vary: 'Accept, User-Agent',
      'Cache-Control': 'private, no-cache',
      'Referrer-Policy': 'no-referrer',
      'X-Robots-Tag': 'noindex',
    };
    const ifNoneMatch = headers['if-none-match'];
    if (ifNoneMatch !== undefined && namesTag(parseTags(ifNoneMatch), bundle.etag)) {
      response.writeHead(304, version).end();
      return;
    }
    const head = {
      ...version,
      'Content-Type': 'application/vnd.apple.pkpasses',
      'Content-Disposition': 'attachment; filename="passes.pkpasses"',
      ...(bundle.development && developmentSigning),
    };
    if (method === 'HEAD') response.writeHead(200, head).end();
    else sendParts(response, head, await this.bundles.build(bundle));
  }
}
