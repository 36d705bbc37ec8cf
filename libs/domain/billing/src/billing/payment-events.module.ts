import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { rootModule } from '@passwright/core';
import { PaymentCustomer } from './payment-customer.entity.js';
import { ReceivedPaymentEvent } from './payment-event.entity.js';
import { PaymentEventsCron } from './payment-events.cron.js';
import { PaymentEventsOptions } from './payment-events.options.js';
import { PaymentEventsService } from './payment-events.service.js';
import { PaymentSubscription } from './payment-subscription.entity.js';
import { PaymentsController } from './payments.controller.js';
import { PaymentsRepository } from './payments.repository.js';

/** Receives the events of the payment provider. Needs `BillingModule` and `PaymentProvider`. */
@Module({
  imports: [TypeOrmModule.forFeature([PaymentCustomer, PaymentSubscription, ReceivedPaymentEvent])],
  providers: [PaymentEventsService, PaymentEventsCron, PaymentsRepository],
  exports: [PaymentEventsService],
})
export class PaymentEventsModule extends rootModule(PaymentEventsOptions, [PaymentsController]) {}
