import { everyAccountSql } from '@passwright/accounts';
import type { UsageListener } from './usage.listener.js';

/** SQL for the rows that other libs own, to use in place of table names. */
export interface CountedRows {
  readonly templates: string;
  /** @param now an SQL expression for the current time */
  readonly expired: (now: string) => string;
}

/** Combines the SQL of all listeners. The SQL for rows that no listener supplies returns no rows. */
export function countedRows(listeners: readonly UsageListener[]): CountedRows {
  const all = (queries: readonly (string | null)[], none: string) =>
    queries.filter((query) => query !== null).join(' UNION ALL ') || none;
  const none = `SELECT NULL::text AS account_id, NULL::text AS template_id WHERE`;
  return {
    templates: all(
      listeners.map((listener) => listener.countedTemplates()),
      `${none} false`,
    ),
    expired: (now) =>
      all(
        listeners.map((listener) => listener.expiredPasses(now)),
        `${none} ${now}::timestamptz IS NULL`,
      ),
  };
}

/** SQL that counts the usage of the account $1 at the time $2. */
export const usageNowSql = ({ templates, expired }: CountedRows) => `
  WITH unnoticed AS MATERIALIZED (
    SELECT template_id, count(*) AS passes FROM (${expired('$2')}) AS expired WHERE account_id = $1
    GROUP BY template_id
  )
  SELECT
    (SELECT coalesce(sum(c.created), 0) FROM account_period($1, $2) AS period
       JOIN pass_creation c ON c.account_id = $1 AND c.counted_from >= period.starts AND c.counted_from < period.ends
    ) AS created,
    (SELECT coalesce(sum(a.active), 0) FROM active_pass a
       JOIN (${templates}) AS t ON t.account_id = a.account_id AND t.template_id = a.template_id
       WHERE a.account_id = $1)
    - (SELECT coalesce(sum(u.passes), 0) FROM unnoticed u JOIN (${templates}) AS t
       ON t.account_id = $1 AND t.template_id = u.template_id) AS active`;

/** SQL that counts the usage of the account $1 per month, from $2 to $3. */
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

/** SQL that records, for the month of $1, the active passes of every account at the time $2. */
export const noteMonthSql = ({ templates, expired }: CountedRows) => `
  WITH active AS (
    SELECT account_id, template_id, active FROM active_pass
    UNION ALL SELECT account_id, template_id, -1 FROM (${expired('$2')}) AS expired
  ), total AS (
    SELECT a.account_id, sum(a.active) AS passes FROM active a
    JOIN (${templates}) AS t ON t.account_id = a.account_id AND t.template_id = a.template_id
    GROUP BY a.account_id
  )
  INSERT INTO usage_month (account_id, month, active_passes)
  SELECT id, date_trunc('month', $1::timestamptz, 'UTC') AT TIME ZONE 'UTC', coalesce(total.passes, 0)
  FROM (${everyAccountSql}) AS known LEFT JOIN total ON total.account_id = known.id ORDER BY id
  ON CONFLICT (account_id, month) DO UPDATE SET active_passes = excluded.active_passes
  WHERE usage_month.active_passes <> excluded.active_passes`;
