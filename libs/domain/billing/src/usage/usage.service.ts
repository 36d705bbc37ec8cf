import { Injectable } from '@nestjs/common';
import { Clock } from '@passwright/core';
import { Database } from '@passwright/database';
import type { EntityManager } from 'typeorm';
import { requireTemplateRoom } from './plan-limits.js';
import { UsageRepository, type Usage } from './usage.repository.js';

/** Counts the usage of accounts exactly, and enforces the plan's limit on templates. */
@Injectable()
export class UsageService {
  constructor(
    private readonly repository: UsageRepository,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Counts the current usage of an account. For an unknown account, all counts are 0. */
  now(accountId: string): Promise<Usage> {
    return this.repository.now(accountId, this.clock.now());
  }

  /**
   * Changes the limits or the billing period of an account. Blocks the creation of passes in the account until `tx`
   * ends. In a new period, counts the passes that were created since it began. Call it before `tx` takes any other lock
   * of the account.
   */
  async changeTerms(tx: EntityManager, accountId: string, change: () => Promise<void>): Promise<void> {
    await this.repository.lockTerms(tx, accountId);
    const now = this.clock.now();
    const before = await this.repository.periodStart(tx, accountId, now);
    await change();
    const after = await this.repository.periodStart(tx, accountId, now);
    if (before.getTime() !== after.getTime()) await this.repository.rebucket(tx, accountId, now);
  }

  /**
   * Checks the limit for a template that `tx` creates or un-archives. Until `tx` ends, other calls for the account
   * wait. Lock the template first.
   * @param count counts the templates that are not archived. @throws LimitExceeded if the account has reached its limit
   */
  async claimTemplate(tx: EntityManager, accountId: string, count: () => Promise<number>): Promise<void> {
    if ((await this.repository.maxTemplates(tx, accountId)) === null) return;
    await this.repository.lockTemplateCount(tx, accountId);
    await requireTemplateRoom(this.repository, tx, accountId, count);
  }

  /** Checks without a lock, before costly work, whether `claimTemplate` would succeed now. @throws LimitExceeded */
  requireTemplateRoom(accountId: string, count: () => Promise<number>): Promise<void> {
    return requireTemplateRoom(this.repository, this.database.reads, accountId, count);
  }
}
