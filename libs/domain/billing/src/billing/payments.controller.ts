import { Controller, HttpCode, Post, Req } from '@nestjs/common';
import { ApiBody, ApiHeader, ApiOkResponse, ApiOperation, ApiProperty, ApiTags } from '@nestjs/swagger';
import { ApiErrors, NotFound, Public, TakesBytes, Unauthorized } from '@passwright/core';
import { PaymentEventsService } from './payment-events.service.js';

/** Maximum size of a body. Stripe's events have about 10 KB. */
const maxBytes = 1024 * 1024;

interface WebhookRequest {
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** Confirms that an event is stored, from this request or an earlier one. */
export class PaymentEventReceived {
  @ApiProperty({ enum: [true] })
  received!: true;
}

@ApiTags('accounts')
@Controller('v1/payments')
export class PaymentsController {
  constructor(private readonly events: PaymentEventsService) {}

  @Post('webhook')
  @HttpCode(200)
  @Public()
  @TakesBytes(maxBytes)
  @ApiOperation({
    operationId: 'receivePaymentEvent',
    summary: 'Receive payment provider events',
    description:
      'Only for Stripe or a provider with the same signatures (header `Stripe-Signature`, at most 5 minutes ' +
      'old). A repeated event counts once. Unrelated events get the same response.',
  })
  @ApiHeader({ name: 'Stripe-Signature', required: true, schema: { type: 'string' }, description: '`t=…,v1=…`' })
  @ApiBody({ description: 'The event, as the provider sends it.', schema: { type: 'object' } })
  @ApiOkResponse({ type: PaymentEventReceived })
  @ApiErrors(Unauthorized, NotFound)
  async receive(@Req() request: WebhookRequest): Promise<PaymentEventReceived> {
    await this.events.receive(request.body, request.headers);
    return { received: true };
  }
}
