import { Injectable } from '@nestjs/common';
import { AuditLog, changesBetween } from '@passwright/accounts';
import { Clock } from '@passwright/core';
import { Jobs } from '@passwright/jobs';
import type { EntityManager } from 'typeorm';
import { GoogleServiceAccountChanged } from './google-service-accounts.jobs.js';
import type { StoredServiceAccount } from './stored-service-account.entity.js';

/** Maximum time for which a node uses the previous credential. The job after a change starts later. */
const SEEN_EVERYWHERE_MS = 1000;

/**
 * Adds the job that resumes writes after a change of an account's credential, and records the change in the audit
 * trail.
 */
@Injectable()
export class ServiceAccountChangesService {
  constructor(
    private readonly jobs: Jobs,
    private readonly auditLog: AuditLog,
    private readonly clock: Clock,
  ) {}

  async saved(tx: EntityManager, before: StoredServiceAccount | null, now: StoredServiceAccount): Promise<void> {
    await this.addJob(tx, now.accountId);
    await this.record(tx, 'googleServiceAccount.saved', now.accountId, before, now);
  }

  async removed(tx: EntityManager, before: StoredServiceAccount): Promise<void> {
    await this.addJob(tx, before.accountId);
    await this.record(tx, 'googleServiceAccount.removed', before.accountId, before, null);
  }

  private async addJob(tx: EntityManager, accountId: string): Promise<void> {
    const runAt = new Date(this.clock.now().getTime() + SEEN_EVERYWHERE_MS);
    await this.jobs.add(tx, new GoogleServiceAccountChanged({ accountId }, runAt));
  }

  /** Records the id of the key, which Google's console also shows, but not the key. */
  private async record(
    tx: EntityManager,
    action: string,
    accountId: string,
    before: StoredServiceAccount | null,
    after: StoredServiceAccount | null,
  ): Promise<void> {
    const shown = (row: StoredServiceAccount | null) => ({ issuerId: row?.issuerId, privateKeyId: row?.privateKeyId });
    const changes = changesBetween(shown(before), shown(after));
    await this.auditLog.record(tx, { accountId, action, target: { kind: 'googleServiceAccount' }, ...changes });
  }
}
