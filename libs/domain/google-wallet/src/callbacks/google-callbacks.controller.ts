import { Controller, HttpCode, Post, Req } from '@nestjs/common';
import { ApiBody, ApiNoContentResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiErrors, Public, TakesBytes, Unauthorized, ValidationFailed, WalletUnavailable } from '@passwright/core';
import { GoogleCallbacksService } from './google-callbacks.service.js';

/** Maximum size of a callback. Google's callbacks have about 1.5 KB. */
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
      'Google calls this when a holder saves or removes a pass. The callback is signed (ECv2SigningOnly). A ' +
      'repeated callback counts once. Google gets this address only if `BASE_URL` is public https.',
  })
  @ApiBody({ description: 'The body that Google sends.', schema: { type: 'object' } })
  @ApiNoContentResponse({ description: 'The callback was recorded.' })
  @ApiErrors(ValidationFailed, Unauthorized, WalletUnavailable)
  receive(@Req() { body }: { readonly body: Buffer }): Promise<void> {
    return this.callbacks.receive(body);
  }
}
