import { type InsertCondition, type NamedStatement, runWithNext } from '@passwright/database';
import type { EntityManager } from 'typeorm';
import type { Template } from './template.entity.js';
import { joinTemplate } from './template-join.js';

/** The account and id of a template. */
export interface TemplateAddress {
  readonly accountId: string;
  readonly templateId: string;
}

/** Separates these locks from other advisory locks of the database. */
const seed = 7_310_579;

const key = (accountId: string, templateId: string) =>
  `hashtextextended(${accountId} || '/' || ${templateId}, ${seed})`;

/*
 * Keeps transactions that change a template apart from transactions that change or issue its passes. Uses advisory
 * locks, which Postgres grants in order of arrival: with row locks, a waiting writer could wait forever under load.
 * Read the template in a statement after its lock. The lock order is template, pass, device.
 */

/** Locks a template for a change, whether it exists or not. Every change of a template needs this lock. */
export async function takeTemplate(tx: EntityManager, accountId: string, templateId: string): Promise<void> {
  await tx.query(`SELECT pg_advisory_xact_lock(${key('$1::text', '$2::text')})`, [accountId, templateId]);
}

/**
 * Takes a shared lock on a template, which any number of transactions may hold simultaneously. The lock is sent
 * together with the transaction's next statement. Read the clock after that statement, because it waits for the lock.
 */
export function shareTemplate(tx: EntityManager, accountId: string, templateId: string): Promise<void> {
  const { name, text, values } = sharedLock(accountId, templateId);
  return runWithNext(tx, text, values, name);
}

/**
 * Returns a condition for an insert of passes: the template has not changed since it was read. The condition also takes
 * the shared lock on the template, so that the insert takes one round trip.
 */
export function templateUnchanged({ accountId, id, revision, updatedAt }: Template): InsertCondition {
  return {
    lock: sharedLock(accountId, id),
    sql: `${joinTemplate('$2', '$3')} AND t.revision = $4 AND t.updated_at = $5`,
    values: [accountId, id, revision, updatedAt],
  };
}

function sharedLock(accountId: string, templateId: string): NamedStatement {
  return { name: 'share-template', text: shareSql, values: [accountId, templateId] };
}

/** Works like `shareTemplate` for many templates. Always locks them in the same order, to prevent deadlocks. */
export function shareTemplates(tx: EntityManager, templates: readonly TemplateAddress[]): Promise<void> {
  const ids = [templates.map(({ accountId }) => accountId), templates.map(({ templateId }) => templateId)];
  return runWithNext(tx, shareManySql, ids, 'share-templates');
}

const shareSql = `SELECT pg_advisory_xact_lock_shared(${key('$1::text', '$2::text')})`;

const shareManySql = `
  SELECT pg_advisory_xact_lock_shared(key) FROM (
    SELECT DISTINCT ${key('account_id', 'id')} AS key FROM unnest($1::text[], $2::text[]) AS t(account_id, id)
    ORDER BY key OFFSET 0
  ) AS ordered`;
