import { Injectable } from '@nestjs/common';
import { Clock, newId } from '@passwright/core';
import type { EntityManager } from 'typeorm';
import { AuditTrail } from '../audit/audit-trail.js';
import { AccountsRepository } from './accounts.repository.js';
import { Account } from './account.entity.js';

/** Accounts and who is in them. */
@Injectable()
export class AccountsService {
  constructor(
    private readonly repository: AccountsRepository,
    private readonly trail: AuditTrail,
    private readonly clock: Clock,
  ) {}

  /** Makes an account without members. @param account `name`: 1 to 200 characters on a single line; `founder`: a uid */
  async create(tx: EntityManager, { name, founder }: { name: string; founder?: string }): Promise<Account> {
    const account: Account = { id: newId('acc'), name, industry: null, createdAt: this.clock.now() };
    await this.repository.insert(tx, account);
    await this.trail.record(tx, {
      accountId: account.id,
      action: 'account.created',
      target: { kind: 'account', id: account.id },
      after: { name },
      ...(founder !== undefined && { actor: { kind: 'user', id: founder } }),
    });
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
