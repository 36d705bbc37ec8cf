import { Injectable } from '@nestjs/common';
import { Forbidden, requireMatch, ValidationFailed, type IfMatch, type Principal } from '@passwright/core';
import { Database } from '@passwright/database';
import { AccountMembersService } from '../accounts/account-members.service.js';
import { AccountsService } from '../accounts/accounts.service.js';
import { SelfServiceOptions } from '../self-service.options.js';
import { AuditLog } from '../audit/audit-log.service.js';
import { SessionsService, type OpenSession } from '../sessions/sessions.service.js';
import {
  profileTag,
  toProfileResponse,
  type NewAccountRequest,
  type ProfilePatch,
  type ProfileResponse,
} from './profile.dto.js';
import { UserAccountsRepository } from '../users/user-accounts.repository.js';
import { UsersRepository } from '../users/users.repository.js';

/** Reads and changes the caller's own user, and creates further accounts. */
@Injectable()
export class ProfileService {
  constructor(
    private readonly repository: UserAccountsRepository,
    private readonly users: UsersRepository,
    private readonly accounts: AccountsService,
    private readonly members: AccountMembersService,
    private readonly sessions: SessionsService,
    private readonly database: Database,
    private readonly auditLog: AuditLog,
    private readonly options: SelfServiceOptions,
  ) {}

  async read({ id, accountId }: Principal): Promise<ProfileResponse> {
    const [user, accounts] = await Promise.all([this.repository.get(id), this.repository.listAccounts(id)]);
    return toProfileResponse(user, accountId, accounts);
  }

  /** Changes the user's name. @throws ValidationFailed for a name that is null. @throws PreconditionFailed */
  async change(caller: Principal, { name }: ProfilePatch, ifMatch: IfMatch): Promise<ProfileResponse> {
    if (name === null) throw new ValidationFailed('name must not be null: a user needs one');
    const { id: uid, accountId } = caller;
    await this.database.transaction(async (tx) => {
      const before = await this.repository.getForUpdate(tx, uid);
      const accounts = await this.repository.listAccounts(uid, tx);
      requireMatch(ifMatch, 'user', profileTag(toProfileResponse(before, accountId, accounts)));
      if (name === undefined || name === before.name) return;
      await this.users.change(tx, uid, { name });
      // Omit the names, because the audit trail would keep them after the deletion of the user.
      await this.auditLog.record(tx, { accountId, action: 'user.changed', target: { kind: 'user', id: uid } });
    });
    return this.read(caller);
  }

  /**
   * Creates another account with the user as its admin. @returns a session in it. @throws Forbidden. @throws
   * LimitExceeded. @throws Unauthorized
   */
  found(caller: Principal, { name, test }: NewAccountRequest): Promise<OpenSession> {
    if (this.options.registration !== 'open') {
      throw new Forbidden('Registration is closed on this service; ask who runs it for an account.');
    }
    return this.database.transaction(async (tx) => {
      const { id: accountId } = await this.accounts.create(tx, { name, founder: caller.id, isTest: test ?? false });
      await this.members.join(tx, accountId, caller.id, { isAdmin: true });
      return this.sessions.openFor(tx, caller, accountId);
    });
  }
}
