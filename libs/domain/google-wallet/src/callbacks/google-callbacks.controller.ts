import { Controller, HttpCode, Post, Req } from '@nestjs/common';
import { ApiBody, ApiNoContentResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiErrors, Public, TakesBytes, Unauthorized, ValidationFailed, WalletUnavailable } from '@passwright/core';
import { GoogleCallbacksService } from './google-callbacks.service.js';

/** Google's callbacks are about 1.5 KB long. */
const maxBytes = 32 * 1024;

@ApiTags('walletB')
@Controller('v1/walletB')
export class GoogleCallbacksController {
  constructor(private readonly callbacks: GoogleCallbacksService) {}

  @Post('callbacks')
  @HttpCode(204)
  @Public()
  @TakesBytes(maxBytes)
  @ApiOperation({
    operationId: 'receiveGoogleCallback',
    summary: "Receive Google's save callbacks",
    description:
      'Only for Google, which signs its callbacks (ECv2SigningOnly) and reports that a holder has saved or ' +
      'removed a pass. A repeated callback counts once. Every class contains this address if BASE_URL is a ' +
      'public https address.',
  })
  @ApiBody({ description: 'The body that Google sends.', schema: { type: 'object' } })
  @ApiNoContentResponse({ description: 'The callback was recorded.' })
  @ApiErrors(ValidationFailed, Unauthorized, WalletUnavailable)
  receive(@Req() { body }: { readonly body: Buffer }): Promise<void> {
    return this.callbacks.receive(body);
  }
}
