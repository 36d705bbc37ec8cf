import { runWithNext } from '@passwright/database';
import type { EntityManager } from 'typeorm';

/** The account and id of a template. */
export interface TemplateAddress {
  readonly accountId: string;
  readonly templateId: string;
}

/** Sets these locks apart from others of the database. */
const seed = 7_310_579;

const key = (accountId: string, templateId: string) =>
  `hashtextextended(${accountId} || '/' || ${templateId}, ${seed})`;

/*
 * A transaction that changes a template excludes those that change or issue its passes. Locks on the row would not do:
 * Postgres lets new sharers of a row overtake a waiting writer, which starves under load. Advisory locks queue fairly: a
 * writer waits only for the transactions before it. Read the template in a statement after its lock; the lock of a sharer
 * is sent with that statement. The order of locks is template, pass, device.
 */

/** Locks a template for a change, whether it exists or not. Every change of a template needs this lock. */
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

/** Keeps many templates as they are. All callers lock several templates in the same order. */
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
