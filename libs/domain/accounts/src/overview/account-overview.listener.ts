import type { AccountStorageResponse, AccountUsageResponse } from './account.dto.js';
import type { BillingResponse } from './account-billing.dto.js';

/** The parts of an account's overview that other libs supply. */
export interface AccountOverviewParts {
  readonly usage: AccountUsageResponse;
  readonly storage: AccountStorageResponse;
  readonly billing: BillingResponse;
}

/**
 * Supplies parts of the account for `GET /v1/account`. Mark an implementation with `@Listens(AccountOverviewListener)`.
 */
export abstract class AccountOverviewListener {
  /** Returns the parts that the listener's lib owns. The overview omits a part that no listener returns. */
  abstract describe(accountId: string): Promise<Partial<AccountOverviewParts>>;
}
