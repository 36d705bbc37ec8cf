import { Injectable } from '@nestjs/common';
import { Database } from '@passwright/database';
import type { EntityManager } from 'typeorm';
import { AccountMember } from './account-member.entity.js';
import { Account } from './account.entity.js';

@Injectable()
export class AccountsRepository {
  constructor(private readonly database: Database) {}

  async insert(tx: EntityManager, account: Account): Promise<void> {
    await tx.insert(Account, account);
  }

  async insertMember(tx: EntityManager, member: AccountMember): Promise<void> {
    await tx.insert(AccountMember, member);
  }

  /** @throws Error when there is none: accounts are named by credentials, which go with them */
  get(accountId: string): Promise<Account> {
    return this.database.reads.findOneByOrFail(Account, { id: accountId });
  }

  findMember(accountId: string, uid: string): Promise<AccountMember | null> {
    return this.database.reads.findOneBy(AccountMember, { accountId, uid });
  }
}
