import { Injectable } from '@nestjs/common';
import { Clock, Forbidden, InvalidTransition, NotFound, ValidationFailed, type Principal } from '@passwright/core';
import { Database, Jobs } from '@passwright/database';
import type { EntityManager } from 'typeorm';
import { AccountsOptions } from '../accounts.options.js';
import { AccountAdmins } from '../accounts/account-admins.js';
import { AccountMembersService } from '../accounts/account-members.service.js';
import { AuditTrail } from '../audit/audit-trail.js';
import { OwnPassword } from '../credentials/own-password.js';
import { UserCredentialsRepository } from '../credentials/user-credentials.repository.js';
import { SessionsRepository } from '../sessions/sessions.repository.js';
import { type AccountDeletionResponse, toAccountDeletionResponse } from './account-deletion.dto.js';
import type { AccountDeletion } from './account-deletion.entity.js';
import { AccountDeletionDue, AccountDeletionRequested } from './account-deletion.jobs.js';
import { AccountDeletionRepository } from './account-deletion.repository.js';

const dayMs = 24 * 60 * 60_000;
/** How old the session of a user without a password may be. */
const freshSessionMs = 15 * 60_000;
const defaultDelayDays = 7;

/** Asks for the deletion of accounts, and takes it back. */
@Injectable()
export class AccountDeletionService {
  constructor(
    private readonly repository: AccountDeletionRepository,
    private readonly members: AccountMembersService,
    private readonly admins: AccountAdmins,
    private readonly users: UserCredentialsRepository,
    private readonly ownPassword: OwnPassword,
    private readonly sessions: SessionsRepository,
    private readonly trail: AuditTrail,
    private readonly database: Database,
    private readonly jobs: Jobs,
    private readonly clock: Clock,
    private readonly options: AccountsOptions,
  ) {}

  /**
   * Deletes the account of an admin after the delay. Asked again it changes nothing.
   * @throws Forbidden, ValidationFailed, PasswordWrong, RateLimited
   */
  async request(caller: Principal, password: string | null, ip: string | undefined): Promise<AccountDeletionResponse> {
    await this.database.transaction((tx) => this.members.lockAsAdmin(tx, caller));
    await this.requireProof(caller, password, ip);
    const deletion = await this.database.transaction(async (tx) => {
      await this.members.lockAsAdmin(tx, caller);
      return this.schedule(tx, caller.accountId, caller.id, this.options.deletionDelayDays ?? defaultDelayDays);
    });
    return toAccountDeletionResponse(deletion);
  }

  /** As `request`, by the operator. @param atOnce without a delay, also when the deletion waits already. @throws NotFound */
  async requestAsOperator(accountId: string, atOnce: boolean): Promise<AccountDeletion> {
    return this.database.transaction(async (tx) => {
      await this.members.lock(tx, accountId);
      const delayDays = atOnce ? 0 : (this.options.deletionDelayDays ?? defaultDelayDays);
      const deletion = await this.schedule(tx, accountId, 'operator', delayDays);
      if (atOnce) await this.jobs.add(tx, new AccountDeletionDue({ accountId }));
      return deletion;
    });
  }

  /** @throws Forbidden. @throws NotFound when none was asked for. @throws InvalidTransition when it has begun */
  async withdraw(caller: Principal): Promise<void> {
    await this.database.transaction(async (tx) => {
      await this.members.lockAsAdmin(tx, caller);
      await this.takeBack(tx, caller.accountId);
    });
  }

  /** As `withdraw`, by the operator. */
  async withdrawAsOperator(accountId: string): Promise<void> {
    await this.database.transaction(async (tx) => {
      await this.members.lock(tx, accountId);
      await this.takeBack(tx, accountId);
    });
  }

  private async schedule(
    tx: EntityManager,
    accountId: string,
    by: string,
    delayDays: number,
  ): Promise<AccountDeletion> {
    const known = await this.repository.lock(tx, accountId);
    const now = this.clock.now();
    const deletesAt = new Date(now.getTime() + delayDays * dayMs);
    if (known && (known.beganAt !== null || known.deletesAt <= deletesAt)) return known;
    const deletion = { accountId, requestedAt: now, requestedBy: by, deletesAt, beganAt: null, emptiedAt: null };
    await this.repository.save(tx, deletion);
    const target = { kind: 'account', id: accountId };
    await this.trail.record(tx, { accountId, action: 'account.deletion_requested', target, after: { deletesAt } });
    const uids = await this.admins.listUids(tx, accountId);
    const mail = (uid: string) => new AccountDeletionRequested({ accountId, uid, deletesAt: deletesAt.toISOString() });
    await this.jobs.addMany(tx, uids.map(mail));
    return deletion;
  }

  private async takeBack(tx: EntityManager, accountId: string): Promise<void> {
    const deletion = await this.repository.lock(tx, accountId);
    if (!deletion) throw new NotFound('The account is not being deleted.');
    if (deletion.beganAt) throw new InvalidTransition('The deletion has begun and cannot be taken back.');
    await this.repository.delete(tx, accountId);
    const target = { kind: 'account', id: accountId };
    await this.trail.record(tx, { accountId, action: 'account.deletion_withdrawn', target });
  }

  /** The password, or a session that is new enough: one that was left open somewhere deletes no account. */
  private async requireProof(caller: Principal, password: string | null, ip: string | undefined): Promise<void> {
    const { passwordHash } = await this.users.get(caller.id);
    if (passwordHash !== null) {
      if (password === null) throw new ValidationFailed('password must be given: it proves that it is you');
      await this.ownPassword.check(caller.id, password, 'password', ip);
      return;
    }
    const key = { accountId: caller.accountId, sessionId: caller.sessionId ?? '' };
    const createdAt = await this.sessions.findCreatedAt(key);
    if (createdAt && this.clock.now().getTime() - createdAt.getTime() <= freshSessionMs) return;
    throw new Forbidden('You have no password, so sign in again through your identity provider and repeat this.');
  }
}
