import { Injectable } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { everyAccountSql } from '@passwright/accounts';
import { Listeners } from '@passwright/core';
import { Database } from '@passwright/database';
import type { EntityManager } from 'typeorm';
import { countedRows, noteMonthSql, usageMonthsSql, usageNowSql, type CountedRows } from './usage-sql.js';
import { UsageListener } from './usage.listener.js';

/** The usage of an account at one moment. */
export interface Usage {
  /** Passes created in the current billing period, including deleted ones. */
  readonly passCreations: number;
  /** Passes that are neither void nor expired. */
  readonly activePasses: number;
}

/** The usage of an account in a month. */
export interface MonthOfUsage {
  /** `yyyy-mm` */
  readonly month: string;
  readonly passCreations: number;
  /** Null for a month without a record. */
  readonly activePasses: number | null;
}

/** All queries on the counters. Database triggers write the counters: see the migration that creates the tables. */
@Injectable()
export class UsageRepository {
  private readonly listeners: Listeners<UsageListener>;
  private counted: CountedRows | undefined;

  constructor(
    private readonly database: Database,
    discovery: DiscoveryService,
  ) {
    this.listeners = new Listeners(discovery, UsageListener);
  }

  /** Counts the usage at `now`, in one statement. */
  async now(accountId: string, now: Date): Promise<Usage> {
    const values = [accountId, now];
    const [row] = await this.database.lookUp<{ created: string; active: string }>(
      'usage-now',
      usageNowSql(this.rows),
      values,
    );
    return { passCreations: Number(row?.created), activePasses: Number(row?.active) };
  }

  /**
   * Waits for the transactions that are creating passes of the account, and blocks others until `tx` ends. Call it
   * before locking the account's row in `billing`.
   */
  async lockTerms(tx: EntityManager, accountId: string): Promise<void> {
    await tx.query('SELECT pg_advisory_xact_lock(usage_lock($1))', [accountId]);
  }

  async periodStart(tx: EntityManager, accountId: string, now: Date): Promise<Date> {
    const [row] = await tx.query<[{ starts: Date }]>('SELECT starts FROM account_period($1, $2)', [accountId, now]);
    return row.starts;
  }

  /** Splits the counts of created passes at the beginning of the current period. Call `lockTerms` first. */
  async rebucket(tx: EntityManager, accountId: string, now: Date): Promise<void> {
    await tx.query('SELECT split_creations($1, $2)', [accountId, now]);
  }

  /** Returns the limit on templates that are not archived; null without a limit. */
  async maxTemplates(tx: EntityManager, accountId: string): Promise<number | null> {
    const [row] = await tx.query<{ most: number | null }[]>(
      'SELECT max_templates AS most FROM billing WHERE account_id = $1',
      [accountId],
    );
    return row?.most ?? null;
  }

  /**
   * Locks the template count of the account, so that only one transaction at a time can check the limit and add a
   * template. Lock the template first.
   */
  async lockTemplateCount(tx: EntityManager, accountId: string): Promise<void> {
    await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended('templates/' || $1::text, 4172839))`, [accountId]);
  }

  /**
   * Returns the month, `yyyy-mm`, in which the account was created or its first pass was counted, whichever is earlier.
   */
  async firstMonth(accountId: string): Promise<string | null> {
    const [row] = await this.database.reads.query<{ month: string | null }[]>(
      `SELECT to_char(least(
         (SELECT created_at FROM (${everyAccountSql}) AS known WHERE id = $1),
         (SELECT min(counted_from) FROM pass_creation WHERE account_id = $1)
       ) AT TIME ZONE 'UTC', 'YYYY-MM') AS month`,
      [accountId],
    );
    return row?.month ?? null;
  }

  /** Lists the months from `first` to `last`, each as `yyyy-mm`, that have a record. The order is undefined. */
  async months(accountId: string, first: string, last: string): Promise<MonthOfUsage[]> {
    return this.database.reads.query<MonthOfUsage[]>(usageMonthsSql, [accountId, `${first}-01`, `${last}-01`]);
  }

  /**
   * Records for the month of `time` how many active passes each account has at `now`, in one statement for all
   * accounts.
   */
  async noteMonth(tx: EntityManager, time: Date, now: Date): Promise<void> {
    await tx.query(noteMonthSql(this.rows), [time, now]);
  }

  private get rows(): CountedRows {
    return (this.counted ??= countedRows(this.listeners.all));
  }
}
