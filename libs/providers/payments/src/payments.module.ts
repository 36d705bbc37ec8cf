import { Module } from '@nestjs/common';
import { PaymentProvider, rootModule } from '@passwright/core';
import { NoPayments } from './no-payments.js';
import { PaymentsOptions } from './payments.options.js';

/** Provides `PaymentProvider` as the options say. */
@Module({ providers: [{ provide: PaymentProvider, useClass: NoPayments }], exports: [PaymentProvider] })
export class PaymentsModule extends rootModule(PaymentsOptions) {}
