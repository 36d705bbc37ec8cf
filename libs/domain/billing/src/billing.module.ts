import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { rootModule } from '@passwright/core';
import { BilledAccountsService } from './billing/billed-accounts.service.js';
import { BillingAccountData } from './billing/billing-account-data.service.js';
import { BillingOverviewListener } from './billing/billing-overview.listener.js';
import { Billing } from './billing/billing.entity.js';
import { BillingRepository } from './billing/billing.repository.js';
import { BillingService } from './billing/billing.service.js';
import { PaymentCustomer } from './billing/payment-customer.entity.js';
import { PaymentSubscription } from './billing/payment-subscription.entity.js';
import { PaymentsRepository } from './billing/payments.repository.js';
import { BillingOptions } from './billing.options.js';
import { ActivePass } from './usage/active-pass.entity.js';
import { PassCreation } from './usage/pass-creation.entity.js';
import { PassUse } from './usage/pass-use.entity.js';
import { UsageDay } from './usage/usage-day.entity.js';
import { UsageDaysRepository } from './usage/usage-days.repository.js';
import { UsageDaysService } from './usage/usage-days.service.js';
import { UsageHistoryController } from './usage/usage-history.controller.js';
import { UsageHistoryService } from './usage/usage-history.service.js';
import { UsageMonth } from './usage/usage-month.entity.js';
import { UsageCron } from './usage/usage.cron.js';
import { UsageRepository } from './usage/usage.repository.js';
import { UsageService } from './usage/usage.service.js';

/** Plans, limits and usage of accounts. Needs `AccountsModule`, `DatabaseModule`, `JobsModule` and `Clock`. */
@Module({
  imports: [
    DiscoveryModule,
    TypeOrmModule.forFeature([
      Billing,
      PaymentCustomer,
      PaymentSubscription,
      PassCreation,
      ActivePass,
      PassUse,
      UsageDay,
      UsageMonth,
    ]),
  ],
  providers: [
    ...[BillingService, BillingRepository, PaymentsRepository, BilledAccountsService],
    ...[UsageService, UsageCron, UsageHistoryService, UsageRepository],
    ...[UsageDaysService, UsageDaysRepository],
    ...[BillingAccountData, BillingOverviewListener],
  ],
  exports: [BillingService, BilledAccountsService, UsageService],
})
export class BillingModule extends rootModule(BillingOptions, [UsageHistoryController]) {}
