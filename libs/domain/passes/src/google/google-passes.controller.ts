import type { IncomingMessage, ServerResponse } from 'node:http';
import { Controller, Get, Param, Query, Req, Res, UseInterceptors } from '@nestjs/common';
import { ApiFoundResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiErrors, Public, ValidationFailed, WalletUnavailable } from '@passwright/core';
import { ApiAccountId, ApiBundledPasses } from '../bundles/bundle-api.decorators.js';
import { bundledAddresses } from '../bundles/bundle-query.js';
import { BundleTooLarge, BundledPassNotFound, PassDeleted } from '../bundles/bundles.errors.js';
import { BundlesService } from '../bundles/bundles.service.js';
import { ApiPublicPassAddress } from '../passes/pass-api.decorators.js';
import { PassNotFound } from '../passes/passes.errors.js';
import { PageRefusals } from '../web/page-refusals.interceptor.js';
import { GoogleLinkResponse } from './google-link.dto.js';
import { type GoogleLink, GoogleLinksService } from './google-links.service.js';

const redirect = 'To Google, for browsers (`Accept: text/html`).';
const whatItIs =
  'What the link adds is written to Google when it is first asked for, and kept current from then on. Ask for it each time ' +
  'rather than keep it: hand out `walletBUrl`, which redirects browsers. Without a Google Wallet issuer it is a ' +
  'development link (`development: true`), which shows what would be sent and saves nothing.';

@ApiTags('walletB')
@Controller('v1/pass')
@UseInterceptors(PageRefusals)
export class GooglePassesController {
  constructor(
    private readonly bundles: BundlesService,
    private readonly links: GoogleLinksService,
  ) {}

  @Get(':accountId/bundle/walletB')
  @Public()
  @ApiOperation({
    operationId: 'getGoogleBundle',
    summary: 'One Google Wallet link for several passes',
    description: `Adds 1 to 10 passes at once. ${whatItIs}`,
  })
  @ApiAccountId()
  @ApiBundledPasses()
  @ApiOkResponse({ type: GoogleLinkResponse })
  @ApiFoundResponse({ description: redirect })
  @ApiErrors(ValidationFailed, BundleTooLarge, BundledPassNotFound, PassDeleted, WalletUnavailable)
  async bundle(
    @Param('accountId') accountId: string,
    @Query('pass') pass: unknown,
    @Req() request: IncomingMessage,
    @Res({ passthrough: true }) response: ServerResponse,
  ): Promise<GoogleLinkResponse | undefined> {
    const addresses = bundledAddresses(accountId, pass);
    const found = await this.links.find(addresses);
    const passes = found.filter((one) => one !== null);
    if (passes.length < found.length) await this.bundles.refuse(addresses.filter((_, at) => !found[at]));
    return answer(await this.links.link(accountId, passes), request, response);
  }

  @Get(':accountId/:templateId/:passId/walletB')
  @Public()
  @ApiOperation({
    operationId: 'getGooglePass',
    summary: 'The Google Wallet link of a pass',
    description: whatItIs,
  })
  @ApiPublicPassAddress()
  @ApiOkResponse({ type: GoogleLinkResponse })
  @ApiFoundResponse({ description: redirect })
  @ApiErrors(PassNotFound, WalletUnavailable)
  async walletB(
    @Param('accountId') accountId: string,
    @Param('templateId') templateId: string,
    @Param('passId') passId: string,
    @Req() request: IncomingMessage,
    @Res({ passthrough: true }) response: ServerResponse,
  ): Promise<GoogleLinkResponse | undefined> {
    const [pass] = await this.links.find([{ accountId, templateId, passId }]);
    if (!pass) throw new PassNotFound(templateId, passId);
    return answer(await this.links.link(accountId, [pass]), request, response);
  }
}

/** The link is a secret of whoever holds the pass: no cache keeps it, and no page that follows learns where it came from. */
function answer(
  link: GoogleLink,
  { headers }: IncomingMessage,
  response: ServerResponse,
): GoogleLinkResponse | undefined {
  response.setHeaders(
    new Map(
      Object.entries({
        Vary: 'Accept',
        'Cache-Control': 'no-store',
        'Referrer-Policy': 'no-referrer',
        'X-Robots-Tag': 'noindex',
        ...(link.development && { 'Passwright-Signing': 'development' }),
      }),
    ),
  );
  if (!headers.accept?.includes('text/html')) return { ...link, notes: [...link.notes] };
  response.writeHead(302, { Location: link.url }).end();
  return undefined;
}
