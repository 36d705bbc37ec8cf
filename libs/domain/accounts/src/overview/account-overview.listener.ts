import type { AccountStorageResponse, AccountUsageResponse } from './account.dto.js';
import type { BillingResponse } from './account-billing.dto.js';

/** The parts of an account's overview that higher libs supply. */
export interface AccountOverviewParts {
  readonly usage: AccountUsageResponse;
  readonly storage: AccountStorageResponse;
  readonly billing: BillingResponse;
}

/**
 * Supplies parts of the account for `GET /v1/account`. Mark an implementation with `@Listens(AccountOverviewListener)`.
 */
export abstract class AccountOverviewListener {
  /**
   * Returns the parts that the listener's lib owns. If no listener returns a part, the overview shows no usage, plan or
   * limit for it.
   */
  abstract describe(accountId: string): Promise<Partial<AccountOverviewParts>>;
}
