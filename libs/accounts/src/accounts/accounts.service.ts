import { Injectable } from '@nestjs/common';
import { Clock, newId } from '@passwright/core';
import type { EntityManager } from 'typeorm';
import { AccountsRepository } from './accounts.repository.js';
import { Account } from './account.entity.js';

/** Accounts and who is in them. */
@Injectable()
export class AccountsService {
  constructor(
    private readonly repository: AccountsRepository,
    private readonly clock: Clock,
  ) {}

  /** Makes an account without members. @param account `name`: 1 to 200 characters on a single line */
  async create(tx: EntityManager, { name }: { name: string }): Promise<Account> {
    const account: Account = { id: newId('acc'), name, industry: null, createdAt: this.clock.now() };
    await this.repository.insert(tx, account);
    return account;
  }

  /** Puts a user who is not in the account yet into it. */
  async addMember(tx: EntityManager, accountId: string, uid: string, role: { isAdmin: boolean }): Promise<void> {
    await this.repository.insertMember(tx, { accountId, uid, isAdmin: role.isAdmin, createdAt: this.clock.now() });
  }

  /** The name of an account that is there. */
  async nameOf(accountId: string): Promise<string> {
    return (await this.repository.get(accountId)).name;
  }

  /** What the user is in the account; null when not a member, or when there is no such account. */
  async roleOf(uid: string, accountId: string): Promise<{ isAdmin: boolean } | null> {
    const member = await this.repository.findMember(accountId, uid);
    return member && { isAdmin: member.isAdmin };
  }
}
