import type { EntityManager } from 'typeorm';

/** Separates these locks from other advisory locks of the database. */
const seed = 5_902_113;

const key = (accountId: string) => `hashtextextended(${accountId}, ${seed})`;

/*
 * The lock order for members: the account's settings (the locks in this file), the template, the member, the pass, the
 * pass counters. Lock the row of the settings last, just before inserting members, because every creation changes it.
 *
 * A transaction that changes settings waits for running transactions that create or change members, and makes later
 * ones wait. So the update after a change of settings misses no member. Postgres grants these locks in order of
 * arrival.
 */

/** Locks the settings of an account for a change, whether or not they exist. */
export async function takeSettings(tx: EntityManager, accountId: string): Promise<void> {
  await tx.query(`SELECT pg_advisory_xact_lock(${key('$1::text')})`, [accountId]);
}

/**
 * Locks the settings of these accounts against changes. Many transactions may hold this lock simultaneously. Read the
 * settings afterwards.
 */
export async function shareSettings(tx: EntityManager, accountIds: readonly string[]): Promise<void> {
  await tx.query(
    `SELECT pg_advisory_xact_lock_shared(key) FROM (
       SELECT DISTINCT ${key('account_id')} AS key FROM unnest($1::text[]) AS a(account_id) ORDER BY key OFFSET 0
     ) AS ordered`,
    [accountIds],
  );
}
