import { Injectable } from '@nestjs/common';
import { Database } from '@passwright/database';
import type { EntityManager } from 'typeorm';

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
  constructor(private readonly database: Database) {}

  /** As of `now`, all of it at one moment. */
  async now(accountId: string, now: Date): Promise<Usage> {
    const values = [accountId, now];
    const [row] = await this.database.lookUp<{ created: string; active: string }>('usage-now', usageNowSql, values);
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

  /** Those that are not archived. */
  async countTemplates(tx: EntityManager, accountId: string): Promise<number> {
    const [row] = await tx.query<[{ count: number }]>(
      'SELECT count(*)::integer FROM template WHERE account_id = $1 AND archived_at IS NULL',
      [accountId],
    );
    return row.count;
  }

  /** The month of the earliest that is known of the account: when it was made, or something was counted. `yyyy-mm` */
  async firstMonth(accountId: string): Promise<string | null> {
    const [row] = await this.database.reads.query<{ month: string | null }[]>(
      `SELECT to_char(least(
         (SELECT created_at FROM account WHERE id = $1),
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
    await tx.query(noteMonthSql, [time, now]);
  }
}

/**
 * Whose expiry the job that notes it has yet to find: a minute's, or what a mass expiry has left it to do. In the words of
 * `pass_unnoticed_idx`, so that no index over all accounts is taken for it.
 */
const unnoticed = `expires_at <= $2 AND coalesce(voided_at, expired_at) IS NULL`;

export const usageNowSql = `
  WITH unnoticed AS MATERIALIZED (
    SELECT template_id, count(*) AS passes FROM pass WHERE account_id = $1 AND ${unnoticed}
    GROUP BY template_id
  )
  SELECT
    (SELECT coalesce(sum(c.created), 0) FROM account_period($1, $2) AS period
       JOIN pass_creation c ON c.account_id = $1 AND c.counted_from >= period.starts AND c.counted_from < period.ends
    ) AS created,
    (SELECT coalesce(sum(a.active), 0) FROM active_pass a
       JOIN template t ON t.account_id = a.account_id AND t.id = a.template_id
       WHERE a.account_id = $1 AND t.archived_at IS NULL)
    - (SELECT coalesce(sum(u.passes), 0) FROM unnoticed u JOIN template t ON t.account_id = $1 AND t.id = u.template_id
       WHERE t.archived_at IS NULL) AS active`;

export const usageMonthsSql = `
  SELECT to_char(month, 'YYYY-MM') AS month, coalesce(sum(created), 0)::float8 AS "passCreations",
    max(active_passes)::float8 AS "activePasses"
  FROM (
    SELECT date_trunc('month', counted_from AT TIME ZONE 'UTC')::date AS month, created, NULL AS active_passes
    FROM pass_creation
    WHERE account_id = $1 AND counted_from >= $2::timestamp AT TIME ZONE 'UTC'
      AND counted_from < ($3::timestamp + interval '1 month') AT TIME ZONE 'UTC'
    UNION ALL
    SELECT month, NULL, active_passes FROM usage_month WHERE account_id = $1 AND month BETWEEN $2::date AND $3::date
  ) AS known GROUP BY month`;

export const noteMonthSql = `
  WITH active AS (
    SELECT account_id, template_id, active FROM active_pass
    UNION ALL SELECT account_id, template_id, -1 FROM pass WHERE ${unnoticed}
  ), total AS (
    SELECT a.account_id, sum(a.active) AS passes FROM active a
    JOIN template t ON t.account_id = a.account_id AND t.id = a.template_id
    WHERE t.archived_at IS NULL GROUP BY a.account_id
  )
  INSERT INTO usage_month (account_id, month, active_passes)
  SELECT id, date_trunc('month', $1::timestamptz, 'UTC') AT TIME ZONE 'UTC', coalesce(total.passes, 0)
  FROM account LEFT JOIN total ON total.account_id = account.id ORDER BY id
  ON CONFLICT (account_id, month) DO UPDATE SET active_passes = excluded.active_passes
  WHERE usage_month.active_passes <> excluded.active_passes`;
