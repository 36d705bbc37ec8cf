import { Injectable } from '@nestjs/common';
import { everyAccountSql } from '@passwright/accounts';
import { Database } from '@passwright/database';
import type { EntityManager } from 'typeorm';
import type { UsageDayResponse } from './usage-history.dto.js';

/**
 * Records and queries the totals by day. The usage of a day is the difference between its totals and the previous
 * recorded totals.
 */
@Injectable()
export class UsageDaysRepository {
  constructor(private readonly database: Database) {}

  /**
   * Returns the first day, `yyyy-mm-dd`, for which the account has usage: the day of its creation, or the first
   * recorded day for an older account.
   */
  async first(accountId: string): Promise<string | null> {
    const [row] = await this.database.reads.query<{ day: string | null }[]>(
      `SELECT to_char(coalesce(
         (SELECT min(day) + 1 FROM usage_day WHERE account_id = $1),
         (SELECT (created_at AT TIME ZONE 'UTC')::date FROM (${everyAccountSql}) AS known WHERE id = $1)
       ), 'YYYY-MM-DD') AS day`,
      [accountId],
    );
    return row?.day ?? null;
  }

  /**
   * Lists the days from `first` to `last`, each as `yyyy-mm-dd`, that have a record. The order is undefined. For the
   * day `present`, uses the current totals.
   */
  async between(accountId: string, first: string, last: string, present: string): Promise<UsageDayResponse[]> {
    return this.database.reads.query<UsageDayResponse[]>(usageDaysSql, [accountId, first, last, present]);
  }

  /** Records, for the day of `time`, the totals of every account whose totals have changed, in one statement. */
  async note(tx: EntityManager, time: Date): Promise<void> {
    await tx.query(noteDaySql, [time]);
  }
}

/** SQL that lists the usage of the account $1 by day from $2 to $3. $4 is the current day. */
const usageDaysSql = `
  SELECT to_char(day, 'YYYY-MM-DD') AS day, greatest(created, 0)::float8 AS "passCreations",
    redeemed::float8 AS redemptions, installed::float8 AS installations
  FROM (
    SELECT day, created - coalesce(lag(created) OVER by_day, 0) AS created,
      redeemed - coalesce(lag(redeemed) OVER by_day, 0) AS redeemed,
      installed - coalesce(lag(installed) OVER by_day, 0) AS installed
    FROM (
      SELECT day, created, redeemed, installed FROM usage_day
      WHERE account_id = $1 AND day <= $3::date AND day < $4::date AND day >= (
        SELECT coalesce(max(day), $2::date) FROM usage_day WHERE account_id = $1 AND day < $2::date)
      UNION ALL
      SELECT $4::date, (SELECT coalesce(sum(created), 0) FROM pass_creation WHERE account_id = $1), redeemed, installed
      FROM (
        SELECT coalesce(sum(redeemed), 0) AS redeemed, coalesce(sum(installed), 0) AS installed
        FROM pass_use WHERE account_id = $1
      ) AS used WHERE $3::date = $4::date
    ) AS total WINDOW by_day AS (ORDER BY day)
  ) AS counted WHERE day >= $2::date`;

/**
 * Records the totals of accounts for the day of $1. With an account's first record, also inserts one without usage for
 * the day before the account was created.
 */
const noteDaySql = `
  INSERT INTO usage_day (account_id, day, created, redeemed, installed)
  SELECT total.account_id, CASE record.n WHEN 1 THEN present.day ELSE known.created_on - 1 END AS day,
    total.created * record.n, total.redeemed * record.n, total.installed * record.n
  FROM (
    SELECT account_id, sum(created) AS created, sum(redeemed) AS redeemed, sum(installed) AS installed
    FROM (
      SELECT account_id, created, 0 AS redeemed, 0 AS installed FROM pass_creation
      UNION ALL SELECT account_id, 0, redeemed, installed FROM pass_use
    ) AS counted GROUP BY account_id
  ) AS total
  CROSS JOIN (SELECT ($1::timestamptz AT TIME ZONE 'UTC')::date AS day) AS present
  JOIN (SELECT id, (created_at AT TIME ZONE 'UTC')::date AS created_on FROM (${everyAccountSql}) AS account) AS known
    ON known.id = total.account_id AND known.created_on <= present.day
  LEFT JOIN LATERAL (
    SELECT created, redeemed, installed FROM usage_day WHERE account_id = total.account_id ORDER BY day DESC LIMIT 1
  ) AS latest ON true
  JOIN generate_series(0, 1) AS record (n) ON record.n = 1 OR latest.created IS NULL
  WHERE (total.created, total.redeemed, total.installed)
    IS DISTINCT FROM (latest.created, latest.redeemed, latest.installed)
  ORDER BY account_id, day
  ON CONFLICT (account_id, day) DO UPDATE
  SET created = excluded.created, redeemed = excluded.redeemed, installed = excluded.installed`;
