import { CLAIMS_GIVEN_BACK, hasDied } from '@passwright/jobs';
import { isDeviceBehind } from './outdated-devices.js';
import { noPushToken } from './no-push-token.js';
import { longestWaitHours } from './push-pacing.js';
import { pageSize } from './push-page.entity.js';
import { forgivenFailures } from './push-retry-policy.js';

/**
 * Returns SQL that is true if device `d` is in a list. Use it in addition to a join with the list, so that the planner
 * looks up these devices instead of reading all.
 */
export function namedIn(list: string): string {
  return `d.id = ANY (ARRAY (SELECT id FROM ${list}))`;
}

const nextNumber = `nextval('apple_push_number')`;

/** Gets a claim number from the coordinator of a Citus cluster, because the other servers do not have the sequence. */
export const drawNumberSql = `SELECT ${nextNumber} AS number`;

/** Returns a statement that claims pages under the number in `$6`, which comes from `drawNumberSql`. */
export const takeUnderNumber = (sql: string): string => sql.replace(nextNumber, '$6::bigint');

export const lockClaimsSql = 'SELECT pg_advisory_xact_lock(hashtextextended($1, 0))';

/** @param which an SQL condition that selects pages of the account; it may use `$2` and `$3` */
const taking = (which: string) => `
  number AS MATERIALIZED (
    SELECT ${nextNumber} AS claim
  ), taken AS (
    UPDATE apple_push_page p SET claim = number.claim, due_at = $4, claimed_by = $5, open_claims = least(p.open_claims + 1, 100) FROM number
    WHERE p.account_id = $1 AND ${which}
    RETURNING p.id::text AS id, p.size, p.open_claims AS "openClaims"
  )
  SELECT claim, COALESCE((SELECT json_agg(taken) FROM taken), '[]') AS pages FROM number`;

/** Claims due pages. A page whose claim has expired is due again. */
export const takeSql = `
  WITH due AS MATERIALIZED (
    SELECT id, size, sum(size) OVER (ORDER BY due_at, id) AS upto
    FROM (SELECT id, due_at, size FROM apple_push_page WHERE account_id = $1 AND due_at <= $2 ORDER BY due_at LIMIT $3) first
  ), ${taking('p.id = ANY (ARRAY (SELECT id FROM due WHERE upto <= $3 OR upto = size))')}`;

export const takeTheseSql = `WITH ${taking('p.id = ANY ($3::bigint[]) AND $2::timestamptz IS NOT NULL')}`;

/**
 * Postpones pages that are suspected of crashing processes. Removes them from their claim, so that their devices can
 * get pushes for other changes.
 */
export const putOffSql = `
  UPDATE apple_push_page SET claim = NULL, claimed_by = NULL, scope = NULL, due_at = $3 WHERE account_id = $1 AND id = ANY ($2::bigint[])`;

export const giveBackSql = `
  UPDATE apple_push_page SET due_at = LEAST(due_at, $3), open_claims = ${CLAIMS_GIVEN_BACK}
  WHERE account_id = $1 AND id = ANY ($2::bigint[]) AND open_claims > ${CLAIMS_GIVEN_BACK} AND claim IS NULL`;

export const endDeadClaimsSql = `
  UPDATE apple_push_page SET due_at = $1, claimed_by = NULL
  WHERE claim IS NOT NULL AND due_at > $1 AND open_claims > 0 AND ${hasDied('claimed_by')}`;

const openClaims = 'claim IS NOT NULL AND due_at > $1 AND open_claims > 0';
/** Lists the processes that hold claims, on Citus. Only the coordinator knows whether they are still running. */
export const claimantsSql = `SELECT DISTINCT claimed_by AS key FROM apple_push_page WHERE ${openClaims} AND claimed_by IS NOT NULL`;
export const endClaimsOfSql = `
  UPDATE apple_push_page SET due_at = $1, claimed_by = NULL WHERE ${openClaims} AND claimed_by = ANY ($2::int[])`;

/** Releases a claim. Identifies the claim by its number and its expiry time, because numbers repeat after a restore. */
export const releaseSql = `
  UPDATE apple_push_page p SET claimed_by = NULL, open_claims = greatest(p.open_claims - 1, 0), due_at = LEAST(p.due_at, $4::timestamptz)
  FROM unnest($2::bigint[], $3::timestamptz[]) AS held(claim, until)
  WHERE p.account_id = $1 AND p.claim = held.claim AND p.due_at = held.until`;

/**
 * True if a device must wait before its next push. Ignores pauses that a wrong clock has caused: pauses that are too
 * long, and pauses after a push in the future.
 */
const isTooEarly = `d.push_not_before > $3 AND d.push_not_before <= $3::timestamptz + interval '${longestWaitHours} hours'
        AND COALESCE(d.pushed_at <= $3::timestamptz + interval '1 minute', true)`;

/*
 * Checks the claimed devices. Runs after the claim has its number, so that it sees every change with a lower number.
 * Locks no rows, because a simultaneous change adds its own page. A new change lowers the failure count only to
 * `forgivenFailures`, so that frequent changes do not cause frequent failing pushes.
 */
export const lookSql = `
  WITH claimed AS MATERIALIZED (
    SELECT device_id, max(since) FILTER (WHERE claim = $2) AS since, max(claim) FILTER (WHERE claim <> $2) AS in_hand
    FROM apple_push_page, unnest(device_ids) AS device_id
    WHERE account_id = $1 AND claim > 0 AND CASE WHEN claim = $2 THEN true ELSE due_at > $3 END
    GROUP BY device_id HAVING bool_or(claim = $2)
  ), looked AS MATERIALIZED (
    SELECT d.id, d.push_token, d.pushed_at, d.bad_tokens, d.due_at, d.push_attempts, claimed.since,
      CASE WHEN claimed.since > d.push_number THEN 0 ELSE d.push_attempts END AS attempts,
      CASE WHEN claimed.since = d.push_number THEN d.push_failures WHEN d.due_at IS NULL THEN 0
        ELSE LEAST(d.push_failures, ${forgivenFailures}) END AS failures,
      d.pass_type_identifier = $5 AND d.push_token <> '${noPushToken}' AND ${isDeviceBehind('$1')} AS outdated,
      CASE WHEN claimed.in_hand IS NOT NULL THEN $4::timestamptz WHEN ${isTooEarly} THEN d.push_not_before END AS later
    FROM claimed
    -- Look devices up one by one through the key: the planner cannot estimate their number.
    CROSS JOIN LATERAL (SELECT * FROM apple_device WHERE account_id = $1 AND id = claimed.device_id OFFSET 0) d
    WHERE d.push_number <= claimed.since AND COALESCE(claimed.in_hand < claimed.since, true)
  )
  SELECT json_agg(id) AS ids, json_agg(push_token) AS push_tokens, json_agg(date_part('epoch', pushed_at)) AS pushed_at,
    attempts, failures, bad_tokens, outdated, later, CASE WHEN NOT outdated OR later IS NOT NULL THEN since END AS since
  FROM looked WHERE outdated OR due_at IS NOT NULL OR push_attempts > 0 GROUP BY 4, 5, 6, 7, 8, 9`;

/**
 * Writes the state of devices that get no push now. A fetch does not reset the attempts of an outdated device, because
 * a wallet may fetch after each push but never list the change.
 */
export const passOverSql = `
  WITH passed_over AS MATERIALIZED (
    SELECT * FROM unnest($2::text[], $3::timestamptz[], $4::bigint[], $5::int[], $6::int[])
      AS p(id, later, since, attempts, failures)
  ), put_off AS (
    INSERT INTO apple_push_page (account_id, id, due_at, since, device_ids, size)
    SELECT $1, nextval('apple_push_number'), later, since, array_agg(id), count(*)
    FROM (
      SELECT id, later, since, (row_number() OVER (PARTITION BY later, since) - 1) / ${pageSize} AS page
      FROM passed_over WHERE later IS NOT NULL
    ) early
    GROUP BY later, since, page
  ), locked AS MATERIALIZED (
    SELECT d.id FROM apple_device d WHERE d.account_id = $1 AND ${namedIn('passed_over')} ORDER BY d.id FOR NO KEY UPDATE
  )
  UPDATE apple_device d SET due_at = p.later, push_attempts = p.attempts, push_failures = COALESCE(p.failures, d.push_failures)
  FROM passed_over p WHERE d.account_id = $1 AND d.id = p.id AND ${namedIn('locked')}`;

export const narrowSql = `
  WITH claimed AS MATERIALIZED (
    SELECT id, device_id FROM apple_push_page, unnest(device_ids) AS device_id WHERE account_id = $1 AND claim = $2
  ), narrowed AS MATERIALIZED (
    SELECT id, array_agg(device_id) AS device_ids FROM claimed JOIN unnest($3::text[]) AS kept(device_id) USING (device_id)
    GROUP BY id
  ), emptied AS (
    DELETE FROM apple_push_page p WHERE account_id = $1 AND claim = $2 AND NOT EXISTS (SELECT FROM narrowed n WHERE n.id = p.id)
  )
  UPDATE apple_push_page p SET device_ids = n.device_ids, size = cardinality(n.device_ids)
  FROM narrowed n WHERE p.account_id = $1 AND p.claim = $2 AND p.id = n.id`;

export const endSql = 'DELETE FROM apple_push_page WHERE account_id = $1 AND claim = $2';

/** Releases claimed pages. Clears `scope`, because the pages may now also contain devices of other changes. */
export const leaveSql = `
  UPDATE apple_push_page SET claim = NULL, claimed_by = NULL, scope = NULL, due_at = $3, open_claims = 0
  WHERE account_id = $1 AND claim = $2`;

/**
 * Jumps from one account to the next in the index, however many devices each has. LIMIT forces an index look-up for
 * each account: with a join, Postgres 15 would read the whole table.
 */
export const accountsSql = `
  WITH RECURSIVE account_due AS (
    (SELECT account_id FROM apple_push_page WHERE account_id > $2 ORDER BY account_id LIMIT 1)
    UNION ALL
    SELECT (SELECT p.account_id FROM apple_push_page p WHERE p.account_id > a.account_id
            ORDER BY p.account_id LIMIT 1)
    FROM account_due a WHERE a.account_id IS NOT NULL
  )
  SELECT account_id FROM account_due a
  WHERE account_id IS NOT NULL
    AND (SELECT true FROM apple_push_page p WHERE p.account_id = a.account_id AND p.due_at <= $1 LIMIT 1)
  LIMIT $3`;

/** Replaces `accountsSql` on Citus, which rejects recursive statements over several servers. */
export const accountsOnCitusSql = `
  SELECT DISTINCT account_id FROM apple_push_page WHERE due_at <= $1 AND account_id > $2 ORDER BY account_id LIMIT $3`;
