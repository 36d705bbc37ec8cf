import { type Database, perAccount } from '@passwright/database';
import type { EntityManager } from 'typeorm';
import type { ResourceKey } from './google-resource.js';
import { marking, unclearMessages } from './google-resource-statements.js';

/** Reads a batch of the keys that `doubtSql` marks. Citus locks rows of one account only. */
const pageOnCitusSql = `
  SELECT account_id AS "accountId", issuer_id AS "issuerId", id FROM google_resource
  WHERE (account_id, issuer_id, id) > ($1, $2, $3) ORDER BY account_id, issuer_id, id LIMIT $4`;

/** Works like `doubtSql` for these resources of one account. */
const doubtOnCitusSql = `
  WITH page AS MATERIALIZED (
    SELECT r.issuer_id, r.id, ${unclearMessages} AS messages FROM unnest($2::text[], $3::text[]) AS k(issuer_id, id)
    JOIN google_resource r ON r.account_id = $1 AND r.issuer_id = k.issuer_id AND r.id = k.id
    ORDER BY r.issuer_id, r.id FOR NO KEY UPDATE OF r
  )
  UPDATE google_resource r SET sent_hash = CASE WHEN r.sent_hash IS NULL THEN NULL ELSE ''::bytea END,
    messages = page.messages, ${marking('CASE WHEN r.serial_number IS NULL THEN 0 ELSE 2 END', '$4')}
  FROM page WHERE r.account_id = $1 AND r.issuer_id = page.issuer_id AND r.id = page.id`;

/**
 * Marks a batch of all resources on Citus, account by account.
 * @returns the batch, in order
 */
export async function doubtOnCitus(
  database: Pick<Database, 'isDistributed'>,
  tx: EntityManager,
  after: ResourceKey,
  limit: number,
  now: Date,
): Promise<ResourceKey[]> {
  const page = await tx.query<ResourceKey[]>(pageOnCitusSql, [after.accountId, after.issuerId, after.id, limit]);
  await perAccount(database, page, async (some) => {
    const keys = [some.map(({ issuerId }) => issuerId), some.map(({ id }) => id)];
    await tx.query(doubtOnCitusSql, [some[0]?.accountId, ...keys, now]);
    return [];
  });
  return page;
}
