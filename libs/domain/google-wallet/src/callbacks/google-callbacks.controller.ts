import { Controller, HttpCode, Post, Req } from '@nestjs/common';
import { ApiBody, ApiNoContentResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiErrors, Public, TakesBytes, Unauthorized, ValidationFailed, WalletUnavailable } from '@passwright/core';
import { GoogleCallbacksService } from './google-callbacks.service.js';

/** Google's callbacks are some 1.5 KB. */
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
    summary: 'Learn from Google that a holder has saved or removed a pass',
    description:
      'For Google alone, which signs what it sends (ECv2SigningOnly). A repeated one counts once. Every class names this ' +
      'address when BASE_URL is a public https address.',
  })
  @ApiBody({ description: 'As Google sends it.', schema: { type: 'object' } })
  @ApiNoContentResponse({ description: 'Taken down.' })
  @ApiErrors(ValidationFailed, Unauthorized, WalletUnavailable)
  receive(@Req() { body }: { readonly body: Buffer }): Promise<void> {
    return this.callbacks.receive(body);
  }
}
