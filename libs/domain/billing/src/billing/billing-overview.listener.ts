import { Injectable } from '@nestjs/common';
import { AccountOverviewListener, type AccountOverviewParts } from '@passwright/accounts';
import { Listens } from '@passwright/core';
import { UsageService } from '../usage/usage.service.js';
import { BillingService } from './billing.service.js';

/** Adds usage and billing to the account overview. */
@Listens(AccountOverviewListener)
@Injectable()
export class BillingOverviewListener extends AccountOverviewListener {
  constructor(
    private readonly usage: UsageService,
    private readonly billing: BillingService,
  ) {
    super();
  }

  async describe(accountId: string): Promise<Pick<AccountOverviewParts, 'usage' | 'billing'>> {
    const [usage, billing] = await Promise.all([this.usage.now(accountId), this.billing.of(accountId)]);
    return { usage, billing };
  }
}
