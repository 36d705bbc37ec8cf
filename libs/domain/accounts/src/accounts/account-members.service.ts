import { Injectable } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import {
  Forbidden,
  InvalidTransition,
  LimitExceeded,
  Listeners,
  NotFound,
  type Principal,
  Unauthorized,
} from '@passwright/core';
import { Database } from '@passwright/database';
import type { EntityManager } from 'typeorm';
import { AuditLog } from '../audit/audit-log.service.js';
import { toAccountMemberResponse, type AccountMemberResponse } from './account-member.dto.js';
import { AccountMemberListener } from './account-member.listener.js';
import { AccountMembersRepository, type MemberWithUser } from './account-members.repository.js';
import { AccountsService } from './accounts.service.js';
import { requireNoLimits, requireScopes, scopesOf } from './role-scopes.js';

/** Maximum number of users in an account, including invited users. Lists of users have no pages. */
export const mostPeople = 1000;
/** Maximum number of accounts that a user can be in. Lists of a user's accounts have no pages. */
const mostAccounts = 100;

/** The message for a caller whose API key was rotated during the request. */
export const rotatedMeanwhile = 'The API key was rotated; use its new secret.';

/** Manages the users of an account and their roles. An account always has an admin. */
@Injectable()
export class AccountMembersService {
  private readonly listeners: Listeners<AccountMemberListener>;

  constructor(
    private readonly repository: AccountMembersRepository,
    private readonly accounts: AccountsService,
    private readonly database: Database,
    private readonly auditLog: AuditLog,
    discovery: DiscoveryService,
  ) {
    this.listeners = new Listeners(discovery, AccountMemberListener);
  }

  /** Lists all users of the account, at most `mostPeople`, in the order in which they joined. */
  async list(accountId: string): Promise<AccountMemberResponse[]> {
    return (await this.repository.list(accountId)).map(toAccountMemberResponse);
  }

  /**
   * Changes the role of a user. Revokes the invitations that a former admin has sent.
   * @throws NotFound.
   * @throws InvalidTransition for the last admin.
   * @throws Forbidden if the caller is no longer an admin or lacks one of an admin's scopes, or if an API key with limits
   * of its own makes a user an admin
   */
  async changeRole(caller: Principal, uid: string, isAdmin: boolean): Promise<AccountMemberResponse> {
    const { accountId } = caller;
    return this.database.transaction(async (tx) => {
      await this.lockAsAdmin(tx, caller);
      const member = await this.getMember(tx, accountId, uid);
      if (member.isAdmin === isAdmin) return toAccountMemberResponse(member);
      if (isAdmin) {
        requireScopes(caller, scopesOf({ isAdmin }));
        requireNoLimits(caller);
      } else {
        await this.requireOtherAdmin(tx, accountId, member);
        await this.adminRoleEnded(tx, accountId, uid);
      }
      await this.repository.updateRole(tx, accountId, uid, isAdmin);
      const change = { before: { isAdmin: member.isAdmin }, after: { isAdmin } };
      await this.auditLog.record(tx, {
        accountId,
        action: 'user.role_changed',
        target: { kind: 'user', id: uid },
        ...change,
      });
      return toAccountMemberResponse({ ...member, isAdmin });
    });
  }

  /**
   * Removes a user from the account, revokes the user's invitations, and rejects the agent plans that the user has
   * confirmed. The user's sessions in the account end immediately on every node. All users may remove themselves.
   * @throws Forbidden.
   * @throws NotFound.
   * @throws InvalidTransition for the last admin
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
      // Lock the user before the sessions, as other transactions do, to avoid deadlocks.
      await this.repository.holdUser(tx, uid);
      await this.repository.delete(tx, accountId, uid);
      for (const listener of this.listeners.all) await listener.userLeft(tx, accountId, uid);
      const { isAdmin } = member;
      await this.auditLog.record(tx, {
        accountId,
        action: 'user.removed',
        target: { kind: 'user', id: uid },
        before: { isAdmin },
      });
    });
  }

  /** Locks the account's users until `tx` ends, so that no other transaction can change them. */
  lock(tx: EntityManager, accountId: string): Promise<void> {
    return this.repository.lock(tx, accountId);
  }

  /** Locks like `lock` and checks that the caller is still an admin. @throws Forbidden. @throws Unauthorized */
  async lockAsAdmin(tx: EntityManager, caller: Principal): Promise<void> {
    await this.repository.lock(tx, caller.accountId);
    await this.requireAdmin(tx, caller);
  }

  /**
   * Checks that the caller is a valid API key, or an admin with an open session. Until `tx` ends, no other transaction
   * can revoke this access. Call it before every change that grants access. Accepts keys and users of the host app,
   * which are not stored.
   * @throws Forbidden.
   * @throws Unauthorized
   */
  async holdAdmin(tx: EntityManager, caller: Principal): Promise<void> {
    if (caller.kind === 'apiKey') await this.holdKey(tx, caller);
    else if (caller.sessionId !== undefined) await this.lockAsAdmin(tx, caller);
  }

  /**
   * Checks that the calling user is still in the account. No other transaction can remove the user until `tx` ends.
   * Accepts users of the host app, which are not stored. @throws Unauthorized
   */
  async holdMember(tx: EntityManager, { accountId, id, sessionId }: Principal): Promise<void> {
    if (sessionId === undefined || (await this.repository.holdMember(tx, accountId, id))) return;
    throw new Unauthorized('You are no longer in this account; log in: POST /v1/auth/login.');
  }

  /** Returns true if the user is in the account. Call `lock` first. */
  async has(tx: EntityManager, accountId: string, uid: string): Promise<boolean> {
    return (await this.repository.find(tx, accountId, uid)) !== null;
  }

  /** Returns true if a user with this e-mail is in the account. Call `lock` first if a change depends on the result. */
  hasEmail(tx: EntityManager, accountId: string, email: string): Promise<boolean> {
    return this.repository.hasEmail(tx, accountId, email);
  }

  /**
   * Adds a user to the account. Call `lock` first. @returns false if the user is already in the account; the role does
   * not change
   * @throws LimitExceeded. @throws AccountBeingDeleted
   */
  async join(tx: EntityManager, accountId: string, uid: string, role: { isAdmin: boolean }): Promise<boolean> {
    if (await this.repository.find(tx, accountId, uid)) return false;
    await this.accounts.requireStored(accountId, tx);
    await this.requireRoom(tx, accountId, 0);
    if ((await this.repository.countAccounts(tx, uid)) >= mostAccounts) {
      throw new LimitExceeded(`A user can be in ${mostAccounts} accounts at most; leave one of them first.`);
    }
    await this.accounts.addMember(tx, accountId, uid, role);
    return true;
  }

  /**
   * @param invited the number of open invitations.
   * @throws LimitExceeded if the account cannot have another user
   */
  async requireRoom(tx: EntityManager, accountId: string, invited: number): Promise<void> {
    if ((await this.repository.count(tx, accountId)) + invited < mostPeople) return;
    throw new LimitExceeded(
      `An account can have ${mostPeople} users at most, the invited included; remove users or withdraw invitations first.`,
    );
  }

  private async adminRoleEnded(tx: EntityManager, accountId: string, uid: string): Promise<void> {
    for (const listener of this.listeners.all) await listener.adminRoleEnded(tx, accountId, uid);
  }

  private async holdKey(tx: EntityManager, key: Principal): Promise<void> {
    const end = await this.repository.endOfKey(tx, key);
    if (end === 'rotated') throw new Unauthorized(rotatedMeanwhile);
    if (end === 'revoked') throw new Unauthorized('The API key was revoked; make another one.');
  }

  private async requireAdmin(tx: EntityManager, caller: Principal): Promise<void> {
    const { kind, id, accountId, sessionId, scopes } = caller;
    if (kind === 'apiKey') await this.holdKey(tx, caller);
    const isAdmin =
      scopes.includes('account:write') &&
      (kind === 'apiKey' || (await this.repository.find(tx, accountId, id))?.isAdmin === true);
    if (!isAdmin) throw new Forbidden('Only admins of the account may do this (it takes the scope account:write).');
    if (sessionId === undefined || (await this.repository.holdSession(tx, accountId, id, sessionId))) return;
    throw new Unauthorized('The session was ended; log in: POST /v1/auth/login.');
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
