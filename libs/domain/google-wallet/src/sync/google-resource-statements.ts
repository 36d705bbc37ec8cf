import { CLAIMS_GIVEN_BACK } from '@passwright/jobs';
import { MOST_MESSAGE_BYTES } from '../messages/google-messages.js';

const claimed = `
  r.account_id AS "accountId", r.issuer_id AS "issuerId", r.id, r.template_id AS "templateId", r.type,
  r.serial_number AS "serialNumber", r.sent_hash AS "sentHash", r.changes, r.failures, r.messages, r.leased_until AS "leasedUntil",
  r.open_claims AS "openClaims", r.is_linked AS "isLinked", r.told_revision AS "notifiedRevision"`;

/** SQL: the messages of the row `r`. Marks the waiting messages as unclear, because Google may have them. */
export const unclearMessages = `CASE WHEN r.messages IS NOT NULL THEN (
    SELECT jsonb_agg(CASE WHEN m.one ? 'addedAt' THEN m.one ELSE m.one || '{"unclear": true}' END ORDER BY m.place)
    FROM jsonb_array_elements(r.messages) WITH ORDINALITY AS m(one, place)) END`;

/** SQL: the messages of the row `r` after the changes `g.messages`. Citus rejects this expression in an UPDATE. */
const changedMessages = `CASE WHEN g.messages IS NULL THEN r.messages ELSE (
    SELECT jsonb_agg(m.one || COALESCE(g.messages -> (m.one ->> 'id'), '{}') ORDER BY m.place)
    FROM jsonb_array_elements(r.messages) WITH ORDINALITY AS m(one, place)
    WHERE g.messages -> (m.one ->> 'id') IS DISTINCT FROM 'null') END`;

export const putOffSql = `
  UPDATE google_resource SET leased_until = NULL, due_at = $4
  WHERE account_id = $1 AND issuer_id = $2 AND id = ANY ($3::text[])`;

export const giveBackSql = `
  UPDATE google_resource SET due_at = LEAST(due_at, $4), open_claims = ${CLAIMS_GIVEN_BACK}
  WHERE account_id = $1 AND issuer_id = $2 AND id = ANY ($3::text[]) AND due_at IS NOT NULL AND leased_until IS NULL
    AND open_claims > ${CLAIMS_GIVEN_BACK}`;

/**
 * Ends leases. Computes the messages in the query that locks the rows, because Citus rejects the expression in an
 * UPDATE.
 */
export const releaseSql = `
  WITH held AS MATERIALIZED (
    SELECT r.id, ${unclearMessages} AS messages FROM google_resource r
    WHERE r.account_id = $1 AND r.issuer_id = $2 AND r.id = ANY ($3::text[]) AND r.leased_until = $4
    ORDER BY r.id FOR NO KEY UPDATE
  )
  UPDATE google_resource r SET open_claims = greatest(r.open_claims - 1, 0),
    leased_until = LEAST(r.leased_until, $5::timestamptz), messages = held.messages
  FROM held WHERE r.account_id = $1 AND r.issuer_id = $2 AND r.id = held.id`;

export const insertSql = `
  INSERT INTO google_resource
    (account_id, issuer_id, id, template_id, type, serial_number, priority, due_at, created_at, is_linked)
  SELECT k.*, CASE WHEN k.serial_number IS NULL THEN 0 ELSE 1 END, $7::timestamptz, $7::timestamptz,
    $8 AND k.serial_number IS NOT NULL
  FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[])
    AS k(account_id, issuer_id, id, template_id, type, serial_number)
  ORDER BY k.account_id, k.issuer_id, k.id
  ON CONFLICT (account_id, issuer_id, id) DO NOTHING`;

export const findSql = `
  SELECT account_id AS "accountId", issuer_id AS "issuerId", id, sent_hash AS "sentHash",
    leased_until AS "leasedUntil", due_at AS "dueAt", failures, refused AS rejected, is_linked AS "isLinked"
  FROM google_resource WHERE account_id = $1 AND issuer_id = $2 AND id = ANY ($3::text[])`;

/**
 * True if no lease reserves the resource. A lease lasts a minute; a much longer one comes from a wrong clock and is
 * ignored.
 */
const isFree = `(leased_until IS NULL OR leased_until <= $4 OR leased_until > $4::timestamptz + interval '2 minutes')`;

const lease = (choice: string) => `
  WITH chosen AS MATERIALIZED (${choice} FOR NO KEY UPDATE SKIP LOCKED), leased AS (
    UPDATE google_resource r SET leased_until = $5, open_claims = least(r.open_claims + 1, 100),
      messages = CASE WHEN r.message IS NULL THEN r.messages ELSE COALESCE(r.messages, '[]') || r.message END, message = NULL
    FROM chosen
    WHERE r.account_id = $1 AND r.issuer_id = $2 AND r.id = chosen.id
      -- Send classes first and separately: their objects wait until they exist.
      AND (chosen.priority = 0) = ((SELECT min(priority) FROM chosen) = 0)
    RETURNING ${claimed}
  )
  SELECT * FROM leased`;

export const claimNamedSql = lease(`
  SELECT id, priority FROM google_resource
  WHERE account_id = $1 AND issuer_id = $2 AND id = ANY ($3::text[]) AND ${isFree}`);

export const claimDueSql = lease(`
  SELECT id, priority FROM google_resource
  WHERE account_id = $1 AND issuer_id = $2 AND due_at <= $4 AND ${isFree}
  ORDER BY priority, due_at LIMIT $3`);

export const recordSql = `
  WITH given AS (
    SELECT * FROM json_to_recordset($1::json) AS g("accountId" text, "issuerId" text, id text, changes int,
      "sentHash" text, failures int, problem text, "problemStatus" int, rejected boolean, "dueAt" timestamptz, messages jsonb,
      "leasedUntil" timestamptz, "notifiedRevision" int)
  ), locked AS MATERIALIZED (
    SELECT g.*, r.leased_until IS NOT DISTINCT FROM g."leasedUntil" AS held, r.changes = g.changes AS current,
      ${changedMessages} AS "changedMessages"
    FROM given g JOIN google_resource r
      ON r.account_id = g."accountId" AND r.issuer_id = g."issuerId" AND r.id = g.id
    ORDER BY g.id FOR NO KEY UPDATE OF r
  ), settled AS (UPDATE google_resource r SET
    sent_hash = CASE WHEN g.held THEN COALESCE(decode(g."sentHash", 'hex'), r.sent_hash) END,
    sent_at = CASE WHEN g."sentHash" IS NULL THEN r.sent_at ELSE $2::timestamptz END,
    open_claims = 0, failures = g.failures, problem = g.problem, problem_status = g."problemStatus",
    refused = g.rejected AND g.current AND g.held,
    due_at = CASE WHEN g.current AND g.held THEN g."dueAt" ELSE LEAST(r.due_at, $2::timestamptz) END,
    messages = g."changedMessages",
    told_revision = CASE WHEN g.held THEN COALESCE(g."notifiedRevision", r.told_revision) ELSE r.told_revision END,
    leased_until = CASE WHEN g.held THEN NULL ELSE r.leased_until END
  FROM locked g WHERE r.account_id = g."accountId" AND r.issuer_id = g."issuerId" AND r.id = g.id
  RETURNING r.due_at <= $2 AS is_due)
  SELECT COALESCE(bool_or(is_due), false) AS left FROM settled`;

export const accountsWaitingSql = `
  WITH RECURSIVE waiting AS (
    (SELECT account_id FROM google_resource WHERE account_id > $1 AND due_at IS NOT NULL ORDER BY account_id LIMIT 1)
    UNION ALL
    SELECT (SELECT r.account_id FROM google_resource r WHERE r.account_id > waiting.account_id AND r.due_at IS NOT NULL
      ORDER BY r.account_id LIMIT 1)
    FROM waiting WHERE waiting.account_id IS NOT NULL
  )
  SELECT account_id FROM waiting WHERE account_id IS NOT NULL LIMIT $2`;

/** Replaces `accountsWaitingSql` on Citus, which rejects recursive statements over several servers. */
export const accountsWaitingOnCitusSql = `
  SELECT DISTINCT account_id FROM google_resource WHERE account_id > $1 AND due_at IS NOT NULL
  ORDER BY account_id LIMIT $2`;

const dueOf = (issuers: string) => `
  (SELECT issuer_id, id FROM google_resource WHERE account_id = $1 AND ${issuers} AND due_at IS NOT NULL
  ORDER BY issuer_id, priority, due_at LIMIT $3)`;

/** Returns only the ids of waiting messages, because their texts could be large. */
export const findLeftSql = `
  WITH page AS MATERIALIZED (
    ${dueOf('issuer_id < $2')} UNION ALL ${dueOf('issuer_id > $2')} LIMIT $3
  )
  SELECT r.issuer_id AS "issuerId", r.id, r.serial_number AS "serialNumber", r.changes,
    COALESCE(jsonb_path_query_array(r.messages, '$[*] ? (!exists(@.addedAt)).id'), '[]') AS waiting
  FROM google_resource r JOIN page ON r.account_id = $1 AND r.issuer_id = page.issuer_id AND r.id = page.id`;

export const clearLeftSql = `
  WITH unchanged AS MATERIALIZED (
    SELECT r.issuer_id, r.id FROM unnest($2::text[], $3::text[], $4::int[]) AS k(issuer_id, id, changes)
    JOIN google_resource r
      ON r.account_id = $1 AND r.issuer_id = k.issuer_id AND r.id = k.id AND r.changes = k.changes
    ORDER BY r.id, r.issuer_id FOR NO KEY UPDATE OF r
  ), cleared AS (
    UPDATE google_resource r SET due_at = NULL, refused = false, problem = NULL, messages = NULL FROM unchanged u
    WHERE r.account_id = $1 AND r.issuer_id = u.issuer_id AND r.id = u.id RETURNING r.issuer_id, r.id
  )
  SELECT issuer_id AS "issuerId", id FROM cleared`;

export const marking = (priority: string, now: string) =>
  `changes = r.changes + 1, due_at = LEAST(r.due_at, ${now}::timestamptz), priority = ${priority}, refused = false, failures = 0`;

/** Marks objects as requested by a holder, so that Google also gets their links. */
export const askedForSql = `
  UPDATE google_resource r SET is_linked = false, ${marking('r.priority', '$4')}
  WHERE r.account_id = $1 AND r.issuer_id = $2 AND r.id = ANY ($3::text[]) AND r.is_linked`;

/**
 * Marks resources as changed. Sets an empty hash, which matches no content, because the content at Google is unknown.
 */
export const doubtSql = `
  WITH page AS MATERIALIZED (
    SELECT account_id, issuer_id, id FROM google_resource WHERE (account_id, issuer_id, id) > ($1, $2, $3)
    ORDER BY account_id, issuer_id, id LIMIT $4 FOR NO KEY UPDATE
  ), doubted AS (
    UPDATE google_resource r SET sent_hash = CASE WHEN r.sent_hash IS NULL THEN NULL ELSE ''::bytea END,
      messages = ${unclearMessages}, ${marking('CASE WHEN r.serial_number IS NULL THEN 0 ELSE 2 END', '$5')}
    FROM page WHERE r.account_id = page.account_id AND r.issuer_id = page.issuer_id AND r.id = page.id
  )
  SELECT account_id AS "accountId", issuer_id AS "issuerId", id FROM page ORDER BY account_id, issuer_id, id`;

const markPasses = (returned: string) => `
  WITH held AS MATERIALIZED (
    SELECT r.account_id, r.issuer_id, r.id FROM google_resource r
    JOIN (SELECT DISTINCT * FROM unnest($1::text[], $2::text[]) AS k(account_id, serial_number)) AS k
      ON r.account_id = k.account_id AND r.serial_number = k.serial_number
    ORDER BY r.account_id, r.id, r.issuer_id FOR NO KEY UPDATE OF r
  ), marked AS (
    UPDATE google_resource r SET ${marking('1', '$3')} FROM held
    WHERE r.account_id = held.account_id AND r.issuer_id = held.issuer_id AND r.id = held.id RETURNING ${returned}
  )`;

export const markPassesSql = `${markPasses('r.account_id')} SELECT DISTINCT account_id FROM marked`;

export const markPassSql = `${markPasses('r.*')}
  SELECT issuer_id AS "issuerId", id, serial_number AS "serialNumber", COALESCE(messages, '[]') AS messages,
    open_claims > 0 AS "isBeingWritten", sent_hash IS NOT NULL AS "isAtGoogle"
  FROM marked ORDER BY created_at, issuer_id`;

/**
 * Maximum number of stored messages of an object, including waiting messages. Further messages are not sent to Google.
 */
const MOST_MESSAGES = 50;

/** Returns a condition that is true if an object with these messages accepts no further message. */
export const isFull = (messages: string) =>
  `COALESCE(jsonb_array_length(${messages}) >= ${MOST_MESSAGES} OR octet_length(${messages}::text) >= ${MOST_MESSAGE_BYTES}, false)`;

/** Adds a message to objects. Computes `keeps` in the query, because Citus rejects this condition in an UPDATE. */
export const notifyHoldersSql = `
  WITH held AS MATERIALIZED (
    SELECT issuer_id, id, messages @> jsonb_build_array(jsonb_build_object('id', $3::jsonb -> 'id')) OR ${isFull('messages')}
      AS keeps
    FROM google_resource
    WHERE account_id = $1 AND serial_number = ANY ($2::text[]) AND sent_hash IS NOT NULL ORDER BY id, issuer_id FOR NO KEY UPDATE
  ), marked AS (
    UPDATE google_resource r SET ${marking('1', '$4')},
      messages = CASE WHEN held.keeps THEN r.messages ELSE COALESCE(r.messages, '[]') || $3::jsonb END
    FROM held WHERE r.account_id = $1 AND r.issuer_id = held.issuer_id AND r.id = held.id RETURNING r.id
  )
  SELECT id FROM marked`;

/**
 * Finds objects with waiting messages but without a due time. Nodes of an earlier version ignore messages and clear the
 * due time.
 */
export const leftMessagesSql = `
  WITH page AS MATERIALIZED (
    SELECT account_id, issuer_id, id FROM google_resource
    WHERE account_id > $3 AND due_at IS NULL AND jsonb_path_exists(messages, '$[*] ? (!exists(@.addedAt))')
    ORDER BY account_id LIMIT $2 FOR NO KEY UPDATE SKIP LOCKED
  ), woken AS (
    UPDATE google_resource r SET due_at = $1 FROM page
    WHERE r.account_id = page.account_id AND r.issuer_id = page.issuer_id AND r.id = page.id RETURNING r.account_id
  )
  SELECT CASE WHEN count(*) = $2 THEN max(account_id) END AS last FROM woken`;

export const findDueSql = `
  SELECT DISTINCT r.account_id AS "accountId", r.serial_number AS "serialNumber"
  FROM unnest($1::text[], $2::text[]) AS k(account_id, serial_number)
  JOIN google_resource r ON r.account_id = k.account_id AND r.serial_number = k.serial_number
  WHERE r.due_at IS NOT NULL`;

export const deleteOfPassesSql = `
  DELETE FROM google_resource r USING unnest($1::text[], $2::text[]) AS k(account_id, serial_number)
  WHERE r.account_id = k.account_id AND r.serial_number = k.serial_number`;

/**
 * @param ofTemplate an SQL condition that selects one template; empty for all templates.
 * @param order the columns that order the batches.
 * @param after the parameters for these columns
 */
const markPage = (ofTemplate: string, order: string, after: string) => `
  WITH page AS MATERIALIZED (
    SELECT issuer_id, id FROM google_resource
    WHERE account_id = $1 ${ofTemplate} AND (${order}) > (${after}) ORDER BY ${order} LIMIT $4 FOR NO KEY UPDATE
  ), marked AS (
    -- A resource that already waits as a single change keeps that priority.
    UPDATE google_resource r SET
      ${marking('CASE WHEN r.serial_number IS NULL THEN 0 WHEN r.due_at IS NULL OR r.priority = 2 THEN 2 ELSE 1 END', '$5')}
    FROM page WHERE r.account_id = $1 AND r.issuer_id = page.issuer_id AND r.id = page.id RETURNING r.id, r.issuer_id
  )
  SELECT id, issuer_id AS "issuerId" FROM marked ORDER BY ${order}`;

export const markTemplateSql = markPage('AND template_id = $6', 'id, issuer_id', '$2, $3');
export const markAccountSql = markPage('', 'issuer_id, id', '$3, $2');
