/**
 * The statements that may touch several hash partitions of a table, by reason. Each pattern must match at least one
 * statement, in which single spaces replace white space.
 */
export const wideStatements: readonly (readonly [reason: string, ...forms: RegExp[]])[] = [
  [
    'A schedule handles what is due or old in all accounts, some rows at a time.',
    /^WITH page AS MATERIALIZED \( SELECT account_id, /,
    /^DELETE FROM idempotency_key WHERE \(account_id, key_hash\) IN \(/,
    /^UPDATE webhook SET previous_secret = NULL, .* WHERE previous_secret_until <= \$1/,
    / FROM (pass|apple_certificate|member|image_hold|account_deletion) WHERE (expires_at|due_at|until|deletes_at) <= \$1 /,
    / FROM message WHERE due_at <= \$1 \) AS due /,
    / FROM message WHERE finished_at < \$1 /,
    / FROM deleted_pass WHERE deleted_at < \$1 /,
    / FROM apple_device WHERE \(account_id, id\) > \(\$1, \$2\) AND /,
    /^WITH changed AS \(DELETE FROM circuit_breaker WHERE receiver = \$2 AND retry_at < \$1 /,
    /^WITH active AS .* INSERT INTO usage_month /,
    /^INSERT INTO usage_day .* SELECT total\.account_id, /,
  ],
  [
    'A schedule finds the accounts that have work, and steps from one to the next.',
    /^WITH RECURSIVE account_due AS \( \(SELECT account_id FROM apple_push_page /,
    /^WITH RECURSIVE waiting AS \( \(SELECT account_id FROM google_resource /,
  ],
  [
    'Claims of dead processes end in all accounts.',
    /^UPDATE apple_push_page SET due_at = \$1, claimed_by = NULL WHERE claim IS NOT NULL /,
  ],
  [
    'A schedule encrypts the rows of all accounts, or encrypts them under a newer master key.',
    / AS encrypted FROM /,
    /^SELECT account_id AS id FROM encryption_key WHERE account_id > \$1 /,
    /^SELECT id FROM \( SELECT id FROM .*\baccount\b.* WHERE NOT EXISTS \(SELECT FROM encryption_key /,
    /"personal" IS NULL AND EXISTS \(SELECT FROM encryption_key .* LIMIT 100 FOR /,
    /^SELECT convert_from\(key_id, 'LATIN1'\) AS "keyId", count\(DISTINCT account_id\)/,
  ],
  [
    'Metrics count the work of all accounts, up to a limit.',
    /AS "(deliveriesDue|googleDue|devicesDue)"/,
    /^SELECT count\(\*\)::int AS count FROM circuit_breaker WHERE receiver = \$1$/,
    /^SELECT count\(\*\) FILTER \(WHERE days <= 0\)::int AS expired, /,
  ],
  [
    'A user has accounts and sessions, whose rows are with the accounts.',
    / FROM (account_member|"account_member") .*uid"?\)? = \$1/,
    /^DELETE FROM session WHERE uid = \$1 /,
    / FROM session s JOIN account a ON a\.id = s\.account_id WHERE s\.uid = \$1 /,
    /^SELECT count\(\*\)::int AS count FROM account a WHERE a\.founder = \$1 /,
    /^SELECT a\.id FROM account a WHERE a\.id = \$1 OR a\.founder = /,
  ],
  [
    'A node that starts compares a few devices of any accounts with its secret.',
    /^SELECT account_id AS "accountId", id, .* FROM apple_device LIMIT 100$/,
  ],
  [
    'A phone names itself without an account.',
    /^WITH held AS \( SELECT account_id, id FROM apple_device WHERE pass_type_identifier = \$1 /,
    /^WITH this AS MATERIALIZED \( SELECT pg_current_snapshot\(\) AS snapshot, /,
    /^WITH (held|listed) AS \( SELECT .* JOIN apple_device d ON d\.pass_type_identifier = l\.pass_type_identifier /,
  ],
];

/** Statements about events of several accounts, or about data that all accounts share. */
export const sharedStatements: readonly RegExp[] = [
  / FROM unnest\(.*\) AS fetching \(account_id, id\) JOIN apple_device d /,
  /^UPDATE apple_device d SET .* FROM unnest\(\$1::text\[\], \$2::text\[\]\) AS locked \(account_id, id\) /,
  /^WITH fetched AS MATERIALIZED \( SELECT f\.\*, .* FROM unnest\(/,
  /^UPDATE member SET .* FROM json_to_recordset\(\$1::json\) AS m\(/,
  /^WITH held AS MATERIALIZED \( SELECT r\.account_id, .* FROM google_resource r JOIN \(SELECT DISTINCT \* FROM unnest\(/,
  // Circuit breakers for all accounts have an empty account id.
  / FROM circuit_breaker WHERE account_id IN \('', \$1\) /,
];
