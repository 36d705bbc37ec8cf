import { Module } from '@nestjs/common';
import { Clock, PaymentProvider, rootModule } from '@passwright/core';
import { NoPayments } from './no-payments.js';
import { PaymentsOptions } from './payments.options.js';
import { StripePayments } from './stripe-payments.js';

/** Provides the `PaymentProvider` that the options select. Needs `Clock`. */
@Module({
  providers: [
    {
      provide: PaymentProvider,
      inject: [PaymentsOptions, Clock],
      useFactory: ({ stripe }: PaymentsOptions, clock: Clock) =>
        stripe ? StripePayments.load(stripe.webhookSecrets, clock) : new NoPayments(),
    },
  ],
  exports: [PaymentProvider],
})
export class PaymentsModule extends rootModule(PaymentsOptions) {}
