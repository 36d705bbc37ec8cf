import type { IncomingMessage, ServerResponse } from 'node:http';
import { Controller, Get, Req, Res } from '@nestjs/common';
import { ApiFoundResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiErrors, Public, WalletUnavailable } from '@passwright/core';
import {
  ApiPublicPassAddress,
  IssuedPassesService,
  type PassAddress,
  PassNotFound,
  PublicPassAddress,
  withErrorPage,
} from '@passwright/passes';
import { GoogleLinkResponse } from './google-link.dto.js';
import { GoogleLinksService } from './google-links.service.js';
import { saveLinkDescription, saveLinkRedirect, sendSaveLink } from './save-link-response.js';

@ApiTags('walletB')
@Controller('v1/pass')
export class GooglePassesController {
  constructor(
    private readonly links: GoogleLinksService,
    private readonly issued: IssuedPassesService,
  ) {}

  @Get(':accountId/:templateId/:passId/walletB')
  @Public()
  @ApiOperation({
    operationId: 'getGooglePass',
    summary: "Get a pass's Google link",
    description: saveLinkDescription,
  })
  @ApiPublicPassAddress()
  @ApiOkResponse({ type: GoogleLinkResponse })
  @ApiFoundResponse({ description: saveLinkRedirect })
  @ApiErrors(PassNotFound, WalletUnavailable)
  async walletB(
    @PublicPassAddress() address: PassAddress,
    @Req() request: IncomingMessage,
    @Res({ passthrough: true }) response: ServerResponse,
  ): Promise<GoogleLinkResponse | string | undefined> {
    return withErrorPage(request, response, async () => {
      const [pass] = await this.links.find([address]);
      if (!pass) throw await this.issued.notFound(address);
      return sendSaveLink(await this.links.link(address.accountId, [pass]), request, response);
    });
  }
}
