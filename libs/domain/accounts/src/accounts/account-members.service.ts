import { Injectable } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { Forbidden, InvalidTransition, LimitExceeded, Listeners, NotFound, type Principal } from '@passwright/core';
import { Database } from '@passwright/database';
import type { EntityManager } from 'typeorm';
import { AuditTrail } from '../audit/audit-trail.service.js';
import { toAccountMemberResponse, type AccountMemberResponse } from './account-member.dto.js';
import { AccountMemberListener } from './account-member.listener.js';
import { AccountMembersRepository, type MemberWithUser } from './account-members.repository.js';
import { AccountsService } from './accounts.service.js';
import { requireScopes, scopesOf } from './granted-scopes.js';

/** Users that an account can have, the invited included: all of them are listed with it. */
export const mostPeople = 1000;
/** Accounts that a user can be in: all of them are listed with the user. */
export const mostAccounts = 100;

/** Manages the users of an account and their roles. There is always an admin. */
@Injectable()
export class AccountMembersService {
  private readonly listeners: Listeners<AccountMemberListener>;

  constructor(
    private readonly repository: AccountMembersRepository,
    private readonly accounts: AccountsService,
    private readonly database: Database,
    private readonly trail: AuditTrail,
    discovery: DiscoveryService,
  ) {
    this.listeners = new Listeners(discovery, AccountMemberListener);
  }

  /** All of them, at most `mostPeople`; those who have been in it longest first. */
  async list(accountId: string): Promise<AccountMemberResponse[]> {
    return (await this.repository.list(accountId)).map(toAccountMemberResponse);
  }

  /**
   * Who is an admin no more invites nobody any more: what they have sent ends.
   * @throws NotFound. @throws InvalidTransition for the last admin. @throws Forbidden when the caller is no admin any more, or
   * lacks what an admin has
   */
  async changeRole(caller: Principal, uid: string, isAdmin: boolean): Promise<AccountMemberResponse> {
    const { accountId } = caller;
    return this.database.transaction(async (tx) => {
      await this.lockAsAdmin(tx, caller);
      const member = await this.getMember(tx, accountId, uid);
      if (member.isAdmin === isAdmin) return toAccountMemberResponse(member);
      if (isAdmin) requireScopes(caller, scopesOf({ isAdmin }));
      else await this.requireOtherAdmin(tx, accountId, member);
      if (!isAdmin) await this.adminRoleEnded(tx, accountId, uid);
      await this.repository.updateRole(tx, accountId, uid, isAdmin);
      const change = { before: { isAdmin: member.isAdmin }, after: { isAdmin } };
      await this.trail.record(tx, {
        accountId,
        action: 'user.role_changed',
        target: { kind: 'user', id: uid },
        ...change,
      });
      return toAccountMemberResponse({ ...member, isAdmin });
    });
  }

  /**
   * Takes a user out of the account, whose sessions in it are over at once, on every node, and the invitations they have sent.
   * Anybody may take themself out.
   * @throws Forbidden. @throws NotFound. @throws InvalidTransition for the last admin
   */
  async remove(caller: Principal, uid: string): Promise<void> {
    const { accountId } = caller;
    const isLeaving = caller.kind === 'user' && caller.id === uid;
    await this.database.transaction(async (tx) => {
      await this.repository.lock(tx, accountId);
      const member = await this.getMember(tx, accountId, uid);
      if (!isLeaving) await this.requireAdmin(tx, caller);
      await this.requireOtherAdmin(tx, accountId, member);
      await this.adminRoleEnded(tx, accountId, uid);
      // Whoever ends sessions of the user over all accounts holds them first too: else each could wait for the other.
      await this.repository.holdUser(tx, uid);
      await this.repository.delete(tx, accountId, uid);
      const { isAdmin } = member;
      await this.trail.record(tx, {
        accountId,
        action: 'user.removed',
        target: { kind: 'user', id: uid },
        before: { isAdmin },
      });
    });
  }

  /** Makes all others who change the people of the account wait until the transaction ends. */
  lock(tx: EntityManager, accountId: string): Promise<void> {
    return this.repository.lock(tx, accountId);
  }

  /** As `lock`, for a caller whose right may have gone since the request began. @throws Forbidden */
  async lockAsAdmin(tx: EntityManager, caller: Principal): Promise<void> {
    await this.repository.lock(tx, caller.accountId);
    await this.requireAdmin(tx, caller);
  }

  /** Whether a user is in the account. Of use only under `lock`. */
  async has(tx: EntityManager, accountId: string, uid: string): Promise<boolean> {
    return (await this.repository.find(tx, accountId, uid)) !== null;
  }

  /** Whether a user with this e-mail is in the account. Of use only under `lock`. */
  hasEmail(tx: EntityManager, accountId: string, email: string): Promise<boolean> {
    return this.repository.hasEmail(tx, accountId, email);
  }

  /**
   * Puts a user into the account, under `lock`. @returns false when they are in it, whose role stays
   * @throws LimitExceeded. @throws AccountBeingDeleted
   */
  async join(tx: EntityManager, accountId: string, uid: string, role: { isAdmin: boolean }): Promise<boolean> {
    if (await this.repository.find(tx, accountId, uid)) return false;
    await this.accounts.requireKept(accountId, tx);
    await this.requireRoom(tx, accountId, 0);
    if ((await this.repository.countAccounts(tx, uid)) >= mostAccounts) {
      throw new LimitExceeded(`A user can be in ${mostAccounts} accounts at most; leave one of them first.`);
    }
    await this.accounts.addMember(tx, accountId, uid, role);
    return true;
  }

  /** @param invited those who may come besides. @throws LimitExceeded when there is no room for one more */
  async requireRoom(tx: EntityManager, accountId: string, invited: number): Promise<void> {
    if ((await this.repository.count(tx, accountId)) + invited < mostPeople) return;
    throw new LimitExceeded(
      `An account can have ${mostPeople} users at most, the invited included; remove users or withdraw invitations first.`,
    );
  }

  private async adminRoleEnded(tx: EntityManager, accountId: string, uid: string): Promise<void> {
    for (const listener of this.listeners.all) await listener.adminRoleEnded(tx, accountId, uid);
  }

  private async requireAdmin(tx: EntityManager, { kind, id, accountId, scopes }: Principal): Promise<void> {
    const isAdmin =
      scopes.includes('account:write') &&
      (kind === 'apiKey' || (await this.repository.find(tx, accountId, id))?.isAdmin === true);
    if (!isAdmin) throw new Forbidden('Only admins of the account may do this (it takes the scope account:write).');
  }

  private async getMember(tx: EntityManager, accountId: string, uid: string): Promise<MemberWithUser> {
    const member = await this.repository.find(tx, accountId, uid);
    if (!member) throw new NotFound(`There is no user "${uid}" in this account.`);
    return member;
  }

  private async requireOtherAdmin(tx: EntityManager, accountId: string, member: MemberWithUser): Promise<void> {
    if (!member.isAdmin || (await this.repository.hasOtherAdmin(tx, accountId, member.uid))) return;
    throw new InvalidTransition(
      `User "${member.uid}" is the last admin of the account, which needs one: make another user an admin first ` +
        '(PATCH /v1/account/members/{uid} with {"isAdmin": true}).',
    );
  }
}
