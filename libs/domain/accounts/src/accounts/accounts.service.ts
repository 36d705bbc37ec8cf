import { Injectable } from '@nestjs/common';
import { Clock, Forbidden, LimitExceeded, newId, type Principal } from '@passwright/core';
import type { EntityManager } from 'typeorm';
import { AccountsOptions } from '../accounts.options.js';
import { AuditLog } from '../audit/audit-log.service.js';
import { AccountBeingDeleted } from './account-being-deleted.js';
import { AccountDeletionRepository } from './account-deletion.repository.js';
import { PersonalData } from '../personal-data/personal-data.service.js';
import { AccountsRepository } from './accounts.repository.js';
import { Account } from './account.entity.js';

const mostKnownShares = 10_000;
const shareKnownForMs = 60_000;
const defaultAccountsPerFounder = 20;

/** The settings of a new account. */
interface NewAccount {
  readonly name: string;
  readonly founder?: string;
  readonly isTest?: boolean;
}

/** Creates accounts, locks them and reads their users' roles. */
@Injectable()
export class AccountsService {
  private readonly shares = new Map<string, { readonly share: string; readonly until: number }>();

  constructor(
    private readonly repository: AccountsRepository,
    private readonly deletions: AccountDeletionRepository,
    private readonly auditLog: AuditLog,
    private readonly personalData: PersonalData,
    private readonly clock: Clock,
    private readonly options: AccountsOptions,
  ) {}

  /**
   * Creates an account without members.
   * @param account `name`: 1 to 200 characters on a single line; `founder`: a uid; `isTest`: false by default. @throws
   * LimitExceeded if the founder has reached the limit of accounts
   */
  async create(tx: EntityManager, { name, founder, isTest = false }: NewAccount): Promise<Account> {
    if (founder !== undefined) await this.requireRoomFor(tx, founder);
    const createdAt = this.clock.now();
    const account: Account = { id: newId('acc'), name, industry: null, founder: founder ?? null, isTest, createdAt };
    await this.repository.insert(tx, account);
    await this.personalData.create(tx, account.id);
    await this.auditLog.record(tx, {
      accountId: account.id,
      action: 'account.created',
      target: { kind: 'account', id: account.id },
      after: { name, ...(isTest && { test: true }) },
      ...(founder !== undefined && { actor: { kind: 'user', id: founder } }),
    });
    return account;
  }

  /** Locks the account until `tx` ends. Other transactions can still add rows that refer to it. */
  lock(tx: EntityManager, accountId: string): Promise<void> {
    return this.repository.lock(tx, accountId);
  }

  /** Adds a user who is not in the account yet. */
  async addMember(tx: EntityManager, accountId: string, uid: string, role: { isAdmin: boolean }): Promise<void> {
    await this.repository.insertMember(tx, { accountId, uid, isAdmin: role.isAdmin, createdAt: this.clock.now() });
  }

  /**
   * Returns true if an account with this id exists. Call it for ids from the payment provider, because they may be
   * wrong.
   */
  exists(tx: EntityManager, accountId: string): Promise<boolean> {
    return this.repository.exists(tx, accountId);
  }

  /** Returns the name of an existing account. */
  async nameOf(accountId: string): Promise<string> {
    return (await this.repository.get(accountId)).name;
  }

  /**
   * Returns the key under which a `ConcurrencyLimiter` limits the work of an account: the founder, so that all accounts
   * of one user share a limit. If the account has no founder any more, returns the account's own id. The result may be
   * a minute old.
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

  /** Lists the account and its founder's other accounts. Together they share the limits of one tenant. */
  listOfSameFounder(accountId: string, reads: EntityManager): Promise<string[]> {
    return this.repository.listOfSameFounder(accountId, reads);
  }

  /**
   * Rejects the request if the account is being deleted. Call it for accounts other than the caller's, which the guard
   * does not check.
   * @param tx a transaction that has locked the account, so that no deletion can be requested before it ends.
   * @throws AccountBeingDeleted
   */
  async requireStored(accountId: string, tx?: EntityManager): Promise<void> {
    const deletion = await this.deletions.find(accountId, tx);
    if (deletion) throw new AccountBeingDeleted(deletion.deletesAt);
  }

  /** Returns true between the request to delete the account and its deletion. */
  async isBeingDeleted(accountId: string): Promise<boolean> {
    return (await this.deletions.find(accountId)) !== null;
  }

  /** Locks the account until `tx` ends, so that no other transaction can add a row that refers to it. */
  lockOutReferences(tx: EntityManager, accountId: string): Promise<void> {
    return this.repository.lockOutReferences(tx, accountId);
  }

  /** Returns the user's role in the account; null if the user is not a member or the account does not exist. */
  async roleOf(uid: string, accountId: string): Promise<{ isAdmin: boolean } | null> {
    const member = await this.repository.findMember(accountId, uid);
    return member && { isAdmin: member.isAdmin };
  }

  /**
   * Returns the account in which a caller works: its own, or the requested one.
   * @throws Forbidden for an account that the caller is not in. An API key belongs to only one account
   */
  async accountFor(caller: Principal, requested: string | undefined): Promise<string> {
    if (requested === undefined || requested === caller.accountId) return caller.accountId;
    const role = caller.kind === 'user' ? await this.roleOf(caller.id, requested) : null;
    if (!role) throw new Forbidden('accountId must be an account that the caller is a member of.');
    await this.requireStored(requested);
    return requested;
  }

  private async requireRoomFor(tx: EntityManager, founder: string): Promise<void> {
    const most = this.options.accountsPerFounder ?? defaultAccountsPerFounder;
    if ((await this.repository.countFounded(tx, founder)) < most) return;
    throw new LimitExceeded(
      `You have founded ${most} accounts, which is the most; delete one first: DELETE /v1/account.`,
    );
  }
}
