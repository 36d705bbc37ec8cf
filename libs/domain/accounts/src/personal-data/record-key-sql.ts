/*
 * SQL that adds columns of `encryption_key` to queries of other tables. `account` and `record` are SQL expressions for
 * the id of the account and the id of the key, such as `'member:' || member.id`.
 */

/** Returns the SQL that selects the salt of a record's key. */
export const recordSaltSql = (account: string, record: string): string =>
  `SELECT salt FROM encryption_key WHERE account_id = ${account} AND id = ${record}`;

/**
 * Returns the SQL condition that the search tokens of a record match. @param tokens the wanted tokens, a `tsquery` as
 * text
 */
export const recordHasTokensSql = (account: string, record: string, tokens: string): string =>
  `SELECT search @@ CAST(${tokens} AS tsquery) FROM encryption_key WHERE account_id = ${account} AND id = ${record}`;

/**
 * Returns the SQL that selects, as `id`, the records of an account whose search tokens match. @param tokens see
 * `recordHasTokensSql`
 */
export const recordsWithTokensSql = (account: string, tokens: string): string =>
  `SELECT id FROM encryption_key WHERE account_id = ${account} AND search @@ CAST(${tokens} AS tsquery)`;
