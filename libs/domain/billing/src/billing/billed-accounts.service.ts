import { Injectable } from '@nestjs/common';
import { AccountDirectory, type ListedAccount } from '@passwright/accounts';
import { BillingRepository } from './billing.repository.js';

/** An account and its plan, as operators see it. */
export interface BilledAccount extends ListedAccount {
  readonly planId: string | null;
  readonly status: string | null;
}

/** Lists accounts of the whole service with their plans, for operators. API requests never use it. */
@Injectable()
export class BilledAccountsService {
  constructor(
    private readonly directory: AccountDirectory,
    private readonly repository: BillingRepository,
  ) {}

  /**
   * Lists accounts, newest first.
   * @param text a part of the account's name in upper or lower case, its exact id, the exact e-mail of a user, or a
   * customer id of the payment provider; null lists all accounts
   */
  async list(text: string | null, limit: number): Promise<BilledAccount[]> {
    const paidBy = text === null ? [] : await this.repository.listPaidBy(text);
    const accounts = await this.directory.list(text, limit, paidBy);
    const billing = await this.repository.list(accounts.map(({ id }) => id));
    const byAccount = new Map(billing.map((row) => [row.accountId, row]));
    return accounts.map(({ users, ...account }) => {
      const { planId = null, status = null } = byAccount.get(account.id) ?? {};
      return { ...account, planId, status, users };
    });
  }
}
