import { Injectable } from '@nestjs/common';
import { Clock, Scheduled } from '@passwright/core';
import { Database } from '@passwright/database';
import type { EntityManager } from 'typeorm';
import { templatesUsedUp } from './limit-exceeded.js';
import { UsageRepository, type Usage } from './usage.repository.js';

/** How late the look at minute 59 may begin: with the job before it, and clocks that differ. */
const lateMs = 30 * 60_000;

/** The storage that an account uses, and its limit. */
export interface StorageUse {
  readonly imageBytes: number;
  /** Absent: any number. */
  readonly maxImageBytes?: number;
}

/** What accounts use, right to the unit, from counters; and that it stays within their limits. */
@Injectable()
export class UsageService {
  private findStorage: (accountId: string) => Promise<StorageUse> = () => Promise.resolve({ imageBytes: 0 });

  constructor(
    private readonly repository: UsageRepository,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Zeros for an account that there is not. */
  now(accountId: string): Promise<Usage> {
    return this.repository.now(accountId, this.clock.now());
  }

  /** Takes the query from the lib that stores images. */
  findStorageBy(query: (accountId: string) => Promise<StorageUse>): void {
    this.findStorage = query;
  }

  storage(accountId: string): Promise<StorageUse> {
    return this.findStorage(accountId);
  }

  /**
   * Changes the limits or the billing period of an account: nobody creates passes meanwhile, and those already created
   * count as of the new period's beginning. The one way to do so, and the first lock that `tx` takes of the account.
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
   * Before a template is made or un-archived in `tx`, and after its own lock: until that ends nobody else takes its place.
   * @throws LimitExceeded when there are as many already as the account may have
   */
  async claimTemplate(tx: EntityManager, accountId: string): Promise<void> {
    if ((await this.repository.maxTemplates(tx, accountId)) === null) return;
    await this.repository.lockTemplateCount(tx, accountId);
    await this.requireRoom(tx, accountId);
  }

  /** Whether `claimTemplate` would refuse now: to be known before what is costly. @throws LimitExceeded */
  requireTemplateRoom(accountId: string): Promise<void> {
    return this.requireRoom(this.database.reads, accountId);
  }

  /** The last look of a month stays. */
  @Scheduled({ name: 'usage.note-month', crontab: '59 * * * *' })
  async noteMonth(): Promise<void> {
    const now = this.clock.now();
    // Due at minute 59: begun a little late, it still looks at the month that ends.
    const due = new Date(now.getTime() - lateMs);
    await this.database.transaction((tx) => this.repository.noteMonth(tx, due, now));
  }

  private async requireRoom(reads: EntityManager, accountId: string): Promise<void> {
    const most = await this.repository.maxTemplates(reads, accountId);
    if (most !== null && (await this.repository.countTemplates(reads, accountId)) >= most) throw templatesUsedUp(most);
  }
}
