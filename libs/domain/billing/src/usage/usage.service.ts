import { Injectable } from '@nestjs/common';
import { Clock } from '@passwright/core';
import { Database } from '@passwright/database';
import type { EntityManager } from 'typeorm';
import { templatesUsedUp } from './limit-exceeded.js';
import { UsageRepository, type Usage } from './usage.repository.js';

/** Counts what accounts use, exactly, and keeps it within their limits. */
@Injectable()
export class UsageService {
  constructor(
    private readonly repository: UsageRepository,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Counts the usage of an account at present. An unknown account has zeros. */
  now(accountId: string): Promise<Usage> {
    return this.repository.now(accountId, this.clock.now());
  }

  /**
   * Changes the limits or the billing period of an account. No passes are created meanwhile, and those already created count
   * from the beginning of the new period. No other way is safe, and `tx` takes no other lock of the account before.
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
   * Claims room for a template that is made or un-archived in `tx`. Call it after the lock of the template itself: until `tx`
   * ends no other transaction claims room in the account.
   * @param count the templates that are not archived. @throws LimitExceeded when the account has as many as it may have
   */
  async claimTemplate(tx: EntityManager, accountId: string, count: () => Promise<number>): Promise<void> {
    if ((await this.repository.maxTemplates(tx, accountId)) === null) return;
    await this.repository.lockTemplateCount(tx, accountId);
    await this.requireRoom(tx, accountId, count);
  }

  /** Does what `claimTemplate` would do now, without a lock, before costly work. @throws LimitExceeded */
  requireTemplateRoom(accountId: string, count: () => Promise<number>): Promise<void> {
    return this.requireRoom(this.database.reads, accountId, count);
  }

  private async requireRoom(reads: EntityManager, accountId: string, count: () => Promise<number>): Promise<void> {
    const most = await this.repository.maxTemplates(reads, accountId);
    if (most !== null && (await count()) >= most) throw templatesUsedUp(most);
  }
}
