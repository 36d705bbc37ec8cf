import { Injectable } from '@nestjs/common';
import { Clock, type Principal } from '@passwright/core';
import { Jobs } from '@passwright/jobs';
import type { EntityManager } from 'typeorm';
import { AuditLog } from '../audit/audit-log.service.js';
import { SessionsRepository } from '../sessions/sessions.repository.js';
import { UsersRepository } from '../users/users.repository.js';
import { EmailChanged, IdentityLinked, PasswordChanged } from './credentials.jobs.js';
import { EncryptedEmails } from './encrypted-emails.service.js';
import { UserCodesRepository } from './user-codes.repository.js';
import { UserCredentialsRepository, type UserCredentials } from '../users/user-credentials.repository.js';

/**
 * Completes the change of a password, e-mail or identity: ends codes and sessions, records the change in the audit
 * trails and notifies the user.
 */
@Injectable()
export class ChangedCredentials {
  constructor(
    private readonly codes: UserCodesRepository,
    private readonly sessions: SessionsRepository,
    private readonly credentials: UserCredentialsRepository,
    private readonly users: UsersRepository,
    private readonly auditLog: AuditLog,
    private readonly emails: EncryptedEmails,
    private readonly jobs: Jobs,
    private readonly clock: Clock,
  ) {}

  /**
   * Sets the password of a user who has proved access to their mailbox. Ends every session in every account. Removes
   * every linked identity, because a stranger may have linked it.
   */
  async passwordReset(tx: EntityManager, uid: string, passwordHash: string): Promise<void> {
    await this.credentials.endOtherWaysIn(tx, uid, passwordHash);
    await this.recordEverywhere(tx, uid, 'password.reset');
    await this.jobs.add(tx, new PasswordChanged({ uid, at: this.clock.now().toISOString() }));
  }

  /**
   * Removes the password, codes, sessions and linked identities of a user when an identity provider first verifies
   * their e-mail. Until then, a stranger may have registered it.
   */
  async identityLinked(tx: EntityManager, { uid, passwordHash }: UserCredentials): Promise<void> {
    await this.credentials.endOtherWaysIn(tx, uid, null);
    if (passwordHash !== null) await this.recordEverywhere(tx, uid, 'password.removed');
    await this.jobs.add(tx, new IdentityLinked({ uid, at: this.clock.now().toISOString() }));
  }

  /** Stores a password that the user has changed. Ends every session of the user except the current one. */
  async passwordChanged(tx: EntityManager, { id: uid, accountId, sessionId }: Principal): Promise<void> {
    await this.codes.deleteAll(tx, uid);
    await this.sessions.deleteOfUser(tx, uid, sessionId ?? null);
    await this.auditLog.record(tx, { accountId, action: 'password.changed', target: { kind: 'user', id: uid } });
    await this.jobs.add(tx, new PasswordChanged({ uid, at: this.clock.now().toISOString() }));
  }

  /**
   * Changes the e-mail of a locked user. Deletes open codes, because they were sent to the former e-mail address.
   * @throws EmailTaken
   */
  async changeEmail(tx: EntityManager, { uid, email: formerEmail }: UserCredentials, email: string): Promise<void> {
    await this.users.change(tx, uid, { email });
    await this.codes.deleteAll(tx, uid);
    await this.credentials.forgetAddresses(tx, uid);
    await this.recordEverywhere(tx, uid, 'email.changed');
    const encrypted = await this.emails.encrypt(tx, uid, formerEmail);
    await this.jobs.add(tx, new EmailChanged({ uid, formerEmail: encrypted, at: this.clock.now().toISOString() }));
  }

  private async recordEverywhere(tx: EntityManager, uid: string, action: string): Promise<void> {
    const [actor, target] = [{ kind: 'user', id: uid } as const, { kind: 'user', id: uid }];
    for (const { accountId } of await this.credentials.listAccounts(tx, uid)) {
      await this.auditLog.record(tx, { accountId, action, target, actor });
    }
  }
}
