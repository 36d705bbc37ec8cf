import type { AccountStorageResponse, AccountUsageResponse } from './account.dto.js';
import type { BillingResponse } from './account-billing.dto.js';

/** The parts of an account's overview that belong to libs above this one. */
export interface AccountOverviewParts {
  readonly usage: AccountUsageResponse;
  readonly storage: AccountStorageResponse;
  readonly billing: BillingResponse;
}

/** Supplies parts of the account that `GET /v1/account` shows. An implementation is marked `@Listens(AccountOverviewListener)`. */
export abstract class AccountOverviewListener {
  /** Returns the parts that this lib owns. A part that no listener returns shows no use, no plan and no limit. */
  abstract describe(accountId: string): Promise<Partial<AccountOverviewParts>>;
}
