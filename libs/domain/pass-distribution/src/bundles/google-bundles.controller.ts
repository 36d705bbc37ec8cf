import type { IncomingMessage, ServerResponse } from 'node:http';
import { Controller, Get, Param, Query, Req, Res } from '@nestjs/common';
import { ApiFoundResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiErrors, Public, ValidationFailed, WalletUnavailable } from '@passwright/core';
import {
  GoogleLinkResponse,
  GoogleLinksService,
  saveLinkDescription,
  saveLinkRedirect,
  sendSaveLink,
} from '@passwright/google-wallet';
import { withErrorPage } from '@passwright/passes';
import { ApiAccountId, ApiBundledPasses } from './bundle-api.decorators.js';
import { bundledAddresses } from './bundle-query.js';
import { BundledPassNotFound, BundleTooLarge, PassDeleted } from './bundles.errors.js';
import { BundlesService } from './bundles.service.js';

@ApiTags('walletB')
@Controller('v1/pass')
export class GoogleBundlesController {
  constructor(
    private readonly bundles: BundlesService,
    private readonly links: GoogleLinksService,
  ) {}

  @Get(':accountId/bundle/walletB')
  @Public()
  @ApiOperation({
    operationId: 'getGoogleBundle',
    summary: 'Get one link for several passes',
    description: `Adds 1 to 10 passes together. ${saveLinkDescription}`,
  })
  @ApiAccountId()
  @ApiBundledPasses()
  @ApiOkResponse({ type: GoogleLinkResponse })
  @ApiFoundResponse({ description: saveLinkRedirect })
  @ApiErrors(ValidationFailed, BundleTooLarge, BundledPassNotFound, PassDeleted, WalletUnavailable)
  async bundle(
    @Param('accountId') accountId: string,
    @Query('pass') pass: unknown,
    @Req() request: IncomingMessage,
    @Res({ passthrough: true }) response: ServerResponse,
  ): Promise<GoogleLinkResponse | string | undefined> {
    return withErrorPage(request, response, async () => {
      const addresses = bundledAddresses(accountId, pass);
      const found = await this.links.find(addresses);
      const passes = found.filter((one) => one !== null);
      if (passes.length < found.length) await this.bundles.reject(addresses.filter((_, at) => !found[at]));
      return sendSaveLink(await this.links.link(accountId, passes), request, response);
    });
  }
}
