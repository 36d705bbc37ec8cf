import { runWithNext } from '@passwright/database';
import type { EntityManager } from 'typeorm';

/** Where a template is. */
export interface TemplateAddress {
  readonly accountId: string;
  readonly templateId: string;
}

/** Sets these locks apart from others of the database. */
const seed = 7_310_579;

const key = (accountId: string, templateId: string) =>
  `hashtextextended(${accountId} || '/' || ${templateId}, ${seed})`;

/*
 * Who changes a template and who reads it to change or issue one of its passes exclude each other, until their
 * transactions end. Not by locks on the row: Postgres lets new sharers of a row pass a waiting writer, who never gets it
 * under load. These locks queue fairly: a writer waits for those that were before it, and for no other. What they keep is
 * read after they are taken, in a statement of its own, which the locks of sharers are sent with. They come before locks of passes, and these before devices.
 */

/** Takes a template, whether there is one or not, for changing it. Who changes a template without this breaks what is said here. */
export async function takeTemplate(tx: EntityManager, accountId: string, templateId: string): Promise<void> {
  await tx.query(`SELECT pg_advisory_xact_lock(${key('$1::text', '$2::text')})`, [accountId, templateId]);
}

/**
 * Keeps a template as it is; any number of transactions may do so at once. The lock is sent with the transaction's next
 * statement, which waits for it: take the time after that statement.
 */
export function shareTemplate(tx: EntityManager, accountId: string, templateId: string): Promise<void> {
  return shareTemplates(tx, [{ accountId, templateId }]);
}

/** As `shareTemplate`, of many; all that take several take them in the same order. */
export async function shareTemplates(tx: EntityManager, templates: readonly TemplateAddress[]): Promise<void> {
  await runWithNext(
    tx,
    `SELECT pg_advisory_xact_lock_shared(key) FROM (
       SELECT DISTINCT ${key('account_id', 'id')} AS key FROM unnest($1::text[], $2::text[]) AS t(account_id, id)
       ORDER BY key OFFSET 0
     ) AS ordered`,
    [templates.map(({ accountId }) => accountId), templates.map(({ templateId }) => templateId)],
  );
}
