import { Injectable } from '@nestjs/common';
import { Clock, Forbidden, ValidationFailed, type Principal } from '@passwright/core';
import { Database } from '@passwright/database';
import type { EntityManager } from 'typeorm';
import { AccountMembersService } from '../accounts/account-members.service.js';
import { AuditLog } from '../audit/audit-log.service.js';
import { SessionsService, type OpenSession } from '../sessions/sessions.service.js';
import type { UserCredentials } from '../users/user-credentials.repository.js';
import { InvitationReader, type FoundInvite } from './invitation-reader.service.js';
import type { InviteAcceptance } from './invite.dto.js';
import type { Invite } from './invite.entity.js';
import { InviteExpired } from './invites.errors.js';
import { InvitesRepository } from './invites.repository.js';
import { InvitedUsers, mailedCodeNeeded, type NewUser } from './invited-users.service.js';

/** Accepts invitations for new and existing users. */
@Injectable()
export class InviteAcceptanceService {
  constructor(
    private readonly reader: InvitationReader,
    private readonly repository: InvitesRepository,
    private readonly members: AccountMembersService,
    private readonly invitedUsers: InvitedUsers,
    private readonly sessions: SessionsService,
    private readonly database: Database,
    private readonly auditLog: AuditLog,
    private readonly clock: Clock,
  ) {}

  /**
   * Adds the invited person to the account. Of several simultaneous calls, only one succeeds. A user who is already in
   * the account keeps their role.
   * @param caller the signed-in user; null if the request contains a new user
   * @param ip the IP address by which invalid codes are counted
   * @returns a session in the account
   * @throws ValidationFailed.
   * @throws Forbidden.
   * @throws Unauthorized.
   * @throws InviteNotFound.
   * @throws InviteExpired.
   * @throws InvitedUserExists.
   * @throws LimitExceeded.
   * @throws RateLimited
   */
  async accept(
    code: string,
    caller: Principal | null,
    request: InviteAcceptance,
    ip: string | undefined,
  ): Promise<OpenSession> {
    if (caller?.kind === 'apiKey') throw new Forbidden("This takes a user's access token, not an API key.");
    const newUser = caller ? noUserOf(request) : newUserOf(request);
    const invite = await this.reader.read(code, ip);
    if (invite.isAdmin && !invite.isMailed) throw new Forbidden(mailedCodeNeeded);
    const find = newUser
      ? await this.preparedFor(newUser, invite)
      : (tx: EntityManager) => this.invitedUsers.requireInvited(tx, caller?.id ?? '', invite.email);
    const session = await this.database.transaction(async (tx) => {
      const uid = await this.admit(tx, invite, find);
      const { accountId } = invite;
      return caller ? this.sessions.openFor(tx, caller, accountId) : this.sessions.open(tx, accountId, uid);
    });
    if (newUser) await this.invitedUsers.cameIn(session.uid, invite, ip);
    return session;
  }

  /**
   * Works like `accept`, but opens no session. @param who a new user, or a user whose password was checked. @throws
   * PasswordWrong
   */
  async acceptOnly(code: string, who: NewUser | UserCredentials, ip: string | undefined): Promise<void> {
    const invite = await this.reader.read(code, ip);
    const find =
      'uid' in who
        ? (tx: EntityManager) => this.invitedUsers.requireUnchanged(tx, who, invite.email)
        : await this.preparedFor(who, invite);
    const uid = await this.database.transaction((tx) => this.admit(tx, invite, find));
    if (!('uid' in who)) await this.invitedUsers.cameIn(uid, invite, ip);
  }

  /**
   * Ends an invitation, and adds the user to the account. The caller must have locked the account. @param find finds or
   * creates the user.
   * @returns the uid. @throws InviteExpired. @throws LimitExceeded
   */
  async admit(tx: EntityManager, invite: Invite, find: (tx: EntityManager) => Promise<string>): Promise<string> {
    const { accountId, id, isAdmin } = invite;
    await this.members.lock(tx, accountId);
    if (!(await this.repository.end(tx, invite, 'accepted', this.clock.now()))) {
      throw new InviteExpired((await this.repository.findInside(tx, invite)) ?? invite);
    }
    const uid = await find(tx);
    const isNew = await this.members.join(tx, accountId, uid, { isAdmin });
    await this.auditLog.record(tx, {
      accountId,
      action: 'invite.accepted',
      target: { kind: 'invite', id },
      after: { uid, ...(isNew && { isAdmin }) },
      actor: { kind: 'user', id: uid },
    });
    return uid;
  }

  private async preparedFor(
    newUser: NewUser,
    { email, isMailed }: FoundInvite,
  ): Promise<(tx: EntityManager) => Promise<string>> {
    const prepared = await this.invitedUsers.prepare({ ...newUser, email, isMailed });
    return (tx) => this.invitedUsers.create(tx, prepared);
  }
}

function noUserOf({ name = null, password = null }: InviteAcceptance): null {
  if (name === null && password === null) return null;
  throw new ValidationFailed('name and password must be left out: you accept as the user of your access token');
}

function newUserOf({ name = null, password = null }: InviteAcceptance): NewUser {
  if (name !== null && password !== null) return { name, password };
  const missing = Object.entries({ name, password }).filter(([, value]) => value === null);
  throw new ValidationFailed(
    missing.map(([property]) => `${property} is required for a new user; an existing user sends an access token`),
  );
}
