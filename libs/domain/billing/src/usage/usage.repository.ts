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
  /** Passes created in the current billing period, those that were deleted since too. */
  readonly passCreations: number;
  /** Passes that are neither void nor expired. */
  readonly activePasses: number;
}

/** What an account used in a month. */
export interface MonthOfUsage {
  /** `yyyy-mm` */
  readonly month: string;
  readonly passCreations: number;
  /** Null: nobody looked. */
  readonly activePasses: number | null;
}

/** Every query on the counters. What counts is in the database: see the migration that makes them. */
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

  /** As of `now`, all of it at one moment. */
  async now(accountId: string, now: Date): Promise<Usage> {
    const values = [accountId, now];
    const [row] = await this.database.lookUp<{ created: string; active: string }>(
      'usage-now',
      usageNowSql(this.rows),
      values,
    );
    return { passCreations: Number(row?.created), activePasses: Number(row?.active) };
  }

  /** Keeps out all who create passes, after those who are at it have committed. Before the row of the limits is locked. */
  async lockTerms(tx: EntityManager, accountId: string): Promise<void> {
    await tx.query('SELECT pg_advisory_xact_lock(usage_lock($1))', [accountId]);
  }

  async periodStart(tx: EntityManager, accountId: string, now: Date): Promise<Date> {
    const [row] = await tx.query<[{ starts: Date }]>('SELECT starts FROM account_period($1, $2)', [accountId, now]);
    return row.starts;
  }

  /** Parts what was counted at the beginning of the present period. Under the lock of `lockTerms`. */
  async rebucket(tx: EntityManager, accountId: string, now: Date): Promise<void> {
    await tx.query('SELECT split_creations($1, $2)', [accountId, now]);
  }

  /** The limit on templates that are not archived; null without one. */
  async maxTemplates(tx: EntityManager, accountId: string): Promise<number | null> {
    const [row] = await tx.query<{ most: number | null }[]>(
      'SELECT max_templates AS most FROM billing WHERE account_id = $1',
      [accountId],
    );
    return row?.most ?? null;
  }

  /** One at a time takes the place of a template, until it commits. After the lock of the template itself. */
  async lockTemplateCount(tx: EntityManager, accountId: string): Promise<void> {
    await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended('templates/' || $1::text, 4172839))`, [accountId]);
  }

  /** The month of the earliest that is known of the account: when it was made, or something was counted. `yyyy-mm` */
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

  /** Of the months from `first` to `last`, `yyyy-mm` each, those of which anything is known; in no order. */
  async months(accountId: string, first: string, last: string): Promise<MonthOfUsage[]> {
    return this.database.reads.query<MonthOfUsage[]>(usageMonthsSql, [accountId, `${first}-01`, `${last}-01`]);
  }

  /** Keeps for the month that `time` is in how many active passes each account has `now`. All accounts in one statement. */
  async noteMonth(tx: EntityManager, time: Date, now: Date): Promise<void> {
    await tx.query(noteMonthSql(this.rows), [time, now]);
  }

  private get rows(): CountedRows {
    return (this.counted ??= countedRows(this.listeners.all));
  }
}
