import { Controller, HttpCode, Post, Req } from '@nestjs/common';
import { ApiBody, ApiHeader, ApiOkResponse, ApiOperation, ApiProperty, ApiTags } from '@nestjs/swagger';
import { ApiErrors, NotFound, Public, TakesBytes, Unauthorized } from '@passwright/core';
import { PaymentEventsService } from './payment-events.service.js';

/** The limit of a body. Events of Stripe have some 10 KB. */
const maxBytes = 1024 * 1024;

interface WebhookRequest {
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** Confirms that an event is stored, now or before. */
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
    summary: 'Learn from the payment provider what an account has subscribed to',
    description:
      'For Stripe alone, or a provider that signs as it does (header `Stripe-Signature`, at most 5 minutes old). Events count ' +
      'once however often they are told, and in whatever order they arrive. Those that tell nothing of subscriptions, and ' +
      'those of customers that are no account’s yet, are answered alike.',
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
