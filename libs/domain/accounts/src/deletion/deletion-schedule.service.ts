import { Injectable } from '@nestjs/common';
import { Clock, InvalidTransition, NotFound } from '@passwright/core';
import { Jobs } from '@passwright/jobs';
import type { EntityManager } from 'typeorm';
import { AccountAdmins } from '../accounts/account-admins.repository.js';
import { AuditLog } from '../audit/audit-log.service.js';
import type { AccountDeletion } from '../accounts/account-deletion.entity.js';
import { AccountDeletionRequested } from './account-deletion.jobs.js';
import { AccountDeletionRepository } from '../accounts/account-deletion.repository.js';

const dayMs = 24 * 60 * 60_000;

/** Schedules and cancels deletions of accounts that the caller has locked. */
@Injectable()
export class DeletionSchedule {
  constructor(
    private readonly repository: AccountDeletionRepository,
    private readonly admins: AccountAdmins,
    private readonly auditLog: AuditLog,
    private readonly jobs: Jobs,
    private readonly clock: Clock,
  ) {}

  /** Schedules the deletion and mails the admins. Does not replace a deletion that has begun or is due earlier. */
  async add(tx: EntityManager, accountId: string, by: string, delayDays: number): Promise<AccountDeletion> {
    const known = await this.repository.lock(tx, accountId);
    const now = this.clock.now();
    const deletesAt = new Date(now.getTime() + delayDays * dayMs);
    if (known && (known.beganAt !== null || known.deletesAt <= deletesAt)) return known;
    const deletion = { accountId, requestedAt: now, requestedBy: by, deletesAt, beganAt: null, emptiedAt: null };
    await this.repository.save(tx, deletion);
    const target = { kind: 'account', id: accountId };
    await this.auditLog.record(tx, { accountId, action: 'account.deletion_requested', target, after: { deletesAt } });
    const uids = await this.admins.listUids(tx, accountId);
    const mail = (uid: string) => new AccountDeletionRequested({ accountId, uid, deletesAt: deletesAt.toISOString() });
    await this.jobs.addMany(tx, uids.map(mail));
    return deletion;
  }

  /**
   * Cancels a deletion. @throws NotFound if no deletion is scheduled. @throws InvalidTransition if the deletion has
   * begun
   */
  async remove(tx: EntityManager, accountId: string): Promise<void> {
    const deletion = await this.repository.lock(tx, accountId);
    if (!deletion) throw new NotFound('The account is not being deleted.');
    if (deletion.beganAt) throw new InvalidTransition('The deletion has begun and cannot be taken back.');
    await this.repository.delete(tx, accountId);
    const target = { kind: 'account', id: accountId };
    await this.auditLog.record(tx, { accountId, action: 'account.deletion_withdrawn', target });
  }
}
