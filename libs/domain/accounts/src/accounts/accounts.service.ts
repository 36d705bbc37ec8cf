import { Injectable } from '@nestjs/common';
import { Clock, LimitExceeded, newId } from '@passwright/core';
import type { EntityManager } from 'typeorm';
import { AccountsOptions } from '../accounts.options.js';
import { AuditTrail } from '../audit/audit-trail.service.js';
import { AccountBeingDeleted } from './account-being-deleted.js';
import { AccountDeletionRepository } from './account-deletion.repository.js';
import { PersonalData } from '../personal-data/personal-data.service.js';
import { AccountsRepository } from './accounts.repository.js';
import { Account } from './account.entity.js';

const mostKnownShares = 10_000;
const shareKnownForMs = 60_000;
const defaultAccountsPerFounder = 20;

/** Accounts and who is in them. */
@Injectable()
export class AccountsService {
  private readonly shares = new Map<string, { readonly share: string; readonly until: number }>();

  constructor(
    private readonly repository: AccountsRepository,
    private readonly deletions: AccountDeletionRepository,
    private readonly trail: AuditTrail,
    private readonly personalData: PersonalData,
    private readonly clock: Clock,
    private readonly options: AccountsOptions,
  ) {}

  /**
   * Makes an account without members.
   * @param account `name`: 1 to 200 characters on a single line; `founder`: a uid. @throws LimitExceeded for the founder
   */
  async create(tx: EntityManager, { name, founder }: { name: string; founder?: string }): Promise<Account> {
    if (founder !== undefined) await this.requireRoomFor(tx, founder);
    const createdAt = this.clock.now();
    const account: Account = { id: newId('acc'), name, industry: null, founder: founder ?? null, createdAt };
    await this.repository.insert(tx, account);
    await this.personalData.create(tx, account.id);
    await this.trail.record(tx, {
      accountId: account.id,
      action: 'account.created',
      target: { kind: 'account', id: account.id },
      after: { name },
      ...(founder !== undefined && { actor: { kind: 'user', id: founder } }),
    });
    return account;
  }

  /** Locks the account until `tx` ends: others that lock it wait, rows that refer to it may be added meanwhile. */
  lock(tx: EntityManager, accountId: string): Promise<void> {
    return this.repository.lock(tx, accountId);
  }

  /** Puts a user who is not in the account yet into it. */
  async addMember(tx: EntityManager, accountId: string, uid: string, role: { isAdmin: boolean }): Promise<void> {
    await this.repository.insertMember(tx, { accountId, uid, isAdmin: role.isAdmin, createdAt: this.clock.now() });
  }

  /** Tells whether there is an account of this id: the payment provider may name any. */
  exists(tx: EntityManager, accountId: string): Promise<boolean> {
    return this.repository.exists(tx, accountId);
  }

  /** The name of an account that is there. */
  async nameOf(accountId: string): Promise<string> {
    return (await this.repository.get(accountId)).name;
  }

  /**
   * Returns the key that an account's share of costly work counts by, for a `ConcurrencyLimiter`: its founder, so that many
   * accounts of one user have one share between them, or the account itself where the operator made it or its founder has
   * left it. It may be a minute old.
   */
  async shareOf(accountId: string): Promise<string> {
    const known = this.shares.get(accountId);
    if (known && known.until > performance.now()) return known.share;
    const share = (await this.repository.founderOf(accountId)) ?? accountId;
    this.shares.delete(accountId);
    const [oldest] = this.shares.keys();
    if (oldest !== undefined && this.shares.size >= mostKnownShares) this.shares.delete(oldest);
    this.shares.set(accountId, { share, until: performance.now() + shareKnownForMs });
    return share;
  }

  /** Lists the account and those that its founder is in and has founded besides: they share what one tenant may have. */
  listOfSameFounder(accountId: string, reads: EntityManager): Promise<string[]> {
    return this.repository.listOfSameFounder(accountId, reads);
  }

  /**
   * Refuses changes of an account that the guard has not looked at, as it is not the caller's.
   * @param tx has locked the account, so that no deletion is asked for before `tx` ends. @throws AccountBeingDeleted
   */
  async requireKept(accountId: string, tx?: EntityManager): Promise<void> {
    const deletion = await this.deletions.find(accountId, tx);
    if (deletion) throw new AccountBeingDeleted(deletion.deletesAt);
  }

  /** Locks the account until `tx` ends: no row that refers to it is added meanwhile, in any lib. */
  lockOutReferences(tx: EntityManager, accountId: string): Promise<void> {
    return this.repository.lockOutReferences(tx, accountId);
  }

  /** What the user is in the account; null when not a member, or when there is no such account. */
  async roleOf(uid: string, accountId: string): Promise<{ isAdmin: boolean } | null> {
    const member = await this.repository.findMember(accountId, uid);
    return member && { isAdmin: member.isAdmin };
  }

  private async requireRoomFor(tx: EntityManager, founder: string): Promise<void> {
    const most = this.options.accountsPerFounder ?? defaultAccountsPerFounder;
    if ((await this.repository.countFounded(tx, founder)) < most) return;
    throw new LimitExceeded(
      `You have founded ${most} accounts, which is the most; delete one first: DELETE /v1/account.`,
    );
  }
}
