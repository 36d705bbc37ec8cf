import { Injectable } from '@nestjs/common';
import {
  Clock,
  decodeCursor,
  isDateTime,
  randomId,
  toPage,
  type Page,
  type PageQuery,
  type Principal,
} from '@passwright/core';
import { Database } from '@passwright/database';
import { Jobs } from '@passwright/jobs';
import type { EntityManager } from 'typeorm';
import { AccountMembersService, mostPeople } from '../accounts/account-members.service.js';
import { AuditLog } from '../audit/audit-log.service.js';
import { requireNoLimits, requireScopes, scopesOf } from '../accounts/role-scopes.js';
import { InviteCodes, isInviteRef } from './invite-codes.service.js';
import { toInviteResponse, type InviteRequest, type InviteResponse } from './invite.dto.js';
import type { Invite } from './invite.entity.js';
import { InviteThrottle } from './invite-throttle.service.js';
import { AlreadyInAccount, InviteExpired, InviteNotFound } from './invites.errors.js';
import { InviteSent } from './invites.jobs.js';
import { InvitesRepository } from './invites.repository.js';

/** How long an invitation can be accepted. */
const ttlMs = 7 * 24 * 60 * 60 * 1000;

/** Sends, lists and revokes invitations. */
@Injectable()
export class InvitesService {
  constructor(
    private readonly repository: InvitesRepository,
    private readonly members: AccountMembersService,
    private readonly codes: InviteCodes,
    private readonly throttle: InviteThrottle,
    private readonly database: Database,
    private readonly jobs: Jobs,
    private readonly auditLog: AuditLog,
    private readonly clock: Clock,
  ) {}

  /**
   * Sends an invitation by e-mail. An open invitation of the same e-mail address stops working.
   * @throws AlreadyInAccount.
   * @throws LimitExceeded.
   * @throws RateLimited.
   * @throws Forbidden if the caller is no longer an admin or lacks a scope that the invited user would get, or if
   * an API key with limits of its own invites an admin
   */
  async invite(caller: Principal, { email, isAdmin }: InviteRequest): Promise<InviteResponse> {
    const { accountId } = caller;
    requireScopes(caller, scopesOf({ isAdmin: isAdmin ?? false }));
    if (isAdmin) requireNoLimits(caller);
    await this.throttle.count(accountId, email);
    const now = this.clock.now();
    const invite: Invite = {
      accountId,
      id: randomId(),
      email,
      isAdmin: isAdmin ?? false,
      invitedBy: caller.id,
      expiresAt: endOf(caller, now),
      createdAt: now,
      endedAt: null,
      endedBy: null,
    };
    await this.database.transaction(async (tx) => {
      await this.members.lockAsAdmin(tx, caller);
      if (await this.members.hasEmail(tx, accountId, email)) throw new AlreadyInAccount(email);
      await this.replaceBy(tx, invite);
      await this.jobs.add(tx, new InviteSent({ accountId, inviteId: invite.id }));
    });
    return this.toResponse(caller, invite);
  }

  /** Lists open invitations, newest first. @throws ValidationFailed for a cursor of another list */
  async list(caller: Principal, { limit, cursor }: PageQuery): Promise<Page<InviteResponse>> {
    const [createdAt, id] = decodeCursor(cursor, isDateTime, isInviteRef) ?? [];
    const after = createdAt && id ? { createdAt: new Date(createdAt), id } : null;
    const invites = await this.repository.listOpen(caller.accountId, this.clock.now(), limit + 1, after);
    return toPage(
      invites,
      limit,
      (invite) => [invite.createdAt.toISOString(), invite.id],
      (invite) => this.toResponse(caller, invite),
    );
  }

  /** Lists all open invitations. */
  async listAll(caller: Principal): Promise<InviteResponse[]> {
    const invites = await this.repository.listOpen(caller.accountId, this.clock.now(), mostPeople, null);
    return invites.map((invite) => this.toResponse(caller, invite));
  }

  /** Revokes an invitation. @param name its code or its `ref`. @throws InviteNotFound. @throws InviteExpired */
  async revoke(caller: Principal, name: string): Promise<void> {
    const { accountId } = caller;
    const presented = this.codes.parse(name);
    const id = presented?.id ?? (isInviteRef(name) ? name : null);
    const invite = id === null ? null : await this.repository.find({ accountId, id });
    if (!invite || (presented && !this.codes.kindOf(presented, invite))) throw new InviteNotFound();
    await this.database.transaction(async (tx) => {
      await this.members.lockAsAdmin(tx, caller);
      if (!(await this.repository.end(tx, invite, 'revoked', this.clock.now()))) {
        throw new InviteExpired((await this.repository.findInside(tx, invite)) ?? invite);
      }
      const { id, isAdmin } = invite;
      const target = { kind: 'invite', id };
      await this.auditLog.record(tx, { accountId, action: 'invite.revoked', target, before: { isAdmin } });
    });
  }

  /** Revokes the open invitations that a user or an API key has sent. */
  async revokeAllBy(tx: EntityManager, accountId: string, inviter: string): Promise<void> {
    for (const { id, isAdmin } of await this.repository.revokeAllBy(tx, accountId, inviter, this.clock.now())) {
      const target = { kind: 'invite', id };
      await this.auditLog.record(tx, { accountId, action: 'invite.revoked', target, before: { isAdmin } });
    }
  }

  /**
   * Stores an invitation in place of the open one for the same e-mail address. First ends the old one, so that it does
   * not count towards the limit.
   */
  private async replaceBy(tx: EntityManager, invite: Invite): Promise<void> {
    const { accountId, id, email, isAdmin, createdAt } = invite;
    const replaced = await this.repository.replace(tx, accountId, email, createdAt);
    await this.members.requireRoom(tx, accountId, await this.repository.countOpen(tx, accountId, createdAt));
    await this.repository.insert(tx, invite);
    await this.auditLog.record(tx, {
      accountId,
      action: 'invite.sent',
      target: { kind: 'invite', id },
      // Omit the e-mail address, because audit events cannot be deleted.
      after: { isAdmin, ...(replaced !== null && { replaces: replaced }) },
    });
  }

  private toResponse(caller: Principal, invite: Invite): InviteResponse {
    return toInviteResponse(invite, maySeeCode(caller, invite) ? this.codes.codeOf(invite, 'shown') : invite.id);
  }
}

/** Returns the end of a new invitation. It ends with the API key that sends it, as the revocation of that key ends it. */
function endOf({ expiresAt }: Principal, now: Date): Date {
  const end = now.getTime() + ttlMs;
  return new Date(expiresAt ? Math.min(end, expiresAt.getTime()) : end);
}

/**
 * Returns true if the caller may see the code of an invitation. API keys may not, because a leaked key must not admit
 * people. Users may if they have all scopes that the code grants.
 */
function maySeeCode({ kind, scopes }: Principal, invite: Invite): boolean {
  return kind === 'user' && scopesOf(invite).every((scope) => scopes.includes(scope));
}
