import { joinTemplate } from '@passwright/templates';

/*
 * The wallet libs use this SQL to read passes. They may read only these columns: `account_id`, `serial_number`,
 * `template_id`, `updated_at`, `deleted_at` and `changed_in`.
 */

/**
 * Returns the SQL after FROM that reads the passes `p` with their templates `t`. @param account the account as an SQL
 * expression
 */
export function passVersions(account = 'p.account_id'): string {
  return `pass p ${joinTemplate(account, 'p.template_id')}`;
}

/** The SQL after FROM that reads the tombstones `x` of deleted passes. */
export const deletedPassVersions = 'deleted_pass x';

/** Returns SQL that joins the pass `p` and its template `t`, or the tombstone `x`, to rows that name a pass and its template. */
export function joinVersions(held: string): string {
  return `
    LEFT JOIN pass p ON p.serial_number = ${held}.serial_number AND p.account_id = ${held}.account_id
    LEFT ${joinTemplate(`${held}.account_id`, `${held}.template_id`)}
    LEFT JOIN deleted_pass x ON x.serial_number = ${held}.serial_number AND x.account_id = ${held}.account_id`;
}

/** The maximum number of wallet rows, and the maximum number of passes, that `isHeldSql` reads. */
const MOST_ROWS = 1000;

/**
 * Returns a statement with the result `held`: true if a wallet has a row for an existing pass of the template `$2` of
 * the account `$1`. Looks at a limited number of rows and passes, because wallets keep the rows of deleted passes. If
 * both limits are reached without a match, `held` is true, because a match may exist.
 * @param table a table with the columns `account_id`, `template_id` and `serial_number`.
 * @param order the column that follows the account and the template in an index
 */
export function isHeldSql(table: string, order: string): string {
  return `
  WITH wallet_row AS MATERIALIZED (
    SELECT r.serial_number FROM ${table} r WHERE r.account_id = $1 AND r.template_id = $2
    ORDER BY r.${order} LIMIT ${MOST_ROWS}
  ), issued AS MATERIALIZED (
    SELECT p.serial_number FROM pass p WHERE p.account_id = $1 AND p.template_id = $2 ORDER BY p.id LIMIT ${MOST_ROWS}
  )
  SELECT EXISTS (
    SELECT FROM wallet_row, LATERAL (
      SELECT FROM pass p WHERE p.account_id = $1 AND p.serial_number = wallet_row.serial_number LIMIT 1
    ) AS existing
  ) OR (SELECT count(*) FROM wallet_row) = ${MOST_ROWS} AND (EXISTS (
    SELECT FROM issued, LATERAL (
      SELECT FROM ${table} r WHERE r.account_id = $1 AND r.serial_number = issued.serial_number LIMIT 1
    ) AS known
  ) OR (SELECT count(*) FROM issued) = ${MOST_ROWS}) AS held`;
}
