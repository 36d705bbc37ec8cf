import { Injectable } from '@nestjs/common';
import { RecentEntries, TestAccounts } from '@passwright/core';
import { AccountsRepository } from './accounts.repository.js';

/** The maximum number of accounts in memory, about 100 bytes each. */
const mostKnown = 10_000;

/** Reads which accounts are test accounts. Looks up each account once, because the flag never changes. */
@Injectable()
export class StoredTestAccounts extends TestAccounts {
  private readonly known = new RecentEntries<string, boolean>(mostKnown);

  constructor(private readonly repository: AccountsRepository) {
    super();
  }

  async has(accountId: string): Promise<boolean> {
    const known = this.known.get(accountId);
    if (known !== undefined) return known;
    const isTest = await this.repository.findIsTest(accountId);
    // Do not cache null, because a standby might not have a new account yet.
    if (isTest !== null) this.known.set(accountId, isTest);
    return isTest ?? false;
  }
}
