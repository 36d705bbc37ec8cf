import type { EntityManager } from 'typeorm';

/** Sets these locks apart from others of the database. */
const seed = 5_902_113;

const key = (accountId: string) => `hashtextextended(${accountId}, ${seed})`;

/*
 * The order of locks, everywhere where members are concerned: an account's settings (these locks, here), the template, the
 * member, the pass, and what counts passes. The row of the settings, whose `last_member_id` every creation raises, comes
 * after all that, just before the new members: it is held for as short as can be.
 *
 * Who changes settings and who makes or changes members by them exclude each other until their transactions end, so that
 * no member is missed by what follows a change of settings. They queue fairly, as those of templates do.
 */

/** Takes the settings of an account, whether there are any or not, for changing them. */
export async function takeSettings(tx: EntityManager, accountId: string): Promise<void> {
  await tx.query(`SELECT pg_advisory_xact_lock(${key('$1::text')})`, [accountId]);
}

/** Keeps the settings of these accounts as they are; any number of transactions may do so at once. Read them afterwards. */
export async function shareSettings(tx: EntityManager, accountIds: readonly string[]): Promise<void> {
  await tx.query(
    `SELECT pg_advisory_xact_lock_shared(key) FROM (
       SELECT DISTINCT ${key('account_id')} AS key FROM unnest($1::text[]) AS a(account_id) ORDER BY key OFFSET 0
     ) AS ordered`,
    [accountIds],
  );
}
