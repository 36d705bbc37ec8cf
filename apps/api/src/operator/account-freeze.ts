import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { queueTables } from '@passwright/database';
import type { DataSource } from 'typeorm';
import { type AccountTable, type Named, text } from './account-tables.js';
import { OperatorFailed } from './operator-session.js';

/** The time limit for running jobs of the account, and for creating a trigger on a busy table. */
const WITHIN_MS = 60_000;
const AGAIN_MS = 200;
const LOCK_NOT_AVAILABLE = '55P03';
const DEPENDENT_OBJECTS = '2BP01';
/** The names of the trigger functions. */
const PUT_OFF = 'put_off_moving_job';
const REJECT = 'reject_moving_account';
/**
 * The tables that record the activity of phones. The triggers ignore updates of these tables, because a phone may have
 * passes of several accounts.
 */
const activityTables = ['apple_device', 'apple_registration'];
/** The tables that reject changes to the users who leave with the account. */
const userTables = ['app_user', 'user_identity', 'user_code'];
/**
 * How far jobs are postponed during the move. The Gregorian calendar repeats every 400 years, so subtracting the
 * interval restores the time exactly.
 */
export const LATER = `interval '400 years'`;

/** The account that moves, and the database that it leaves. */
export interface Source {
  readonly database: DataSource;
  readonly schema: string | null;
  readonly name: Named;
  readonly tables: readonly AccountTable[];
  readonly accountId: string;
}

/**
 * Rejects every write to the account from now on; the service responds with 503 and `Retry-After`. When this function
 * returns, no transaction and no job of the account is running. Writes of other accounts wait for at most
 * `lock_timeout`. A repeated call changes nothing.
 * @throws OperatorFailed if a job of the account does not end, or other transactions never release a table
 */
export async function freeze(source: Source): Promise<void> {
  await putJobsOff(source);
  const { database, name, tables } = source;
  await database.query(rejectSql(name));
  // Creating a trigger waits for the transactions that have written to its table.
  for (const { name: table, isOfUsers } of tables) {
    if (!isOfUsers) await reject(source, table, `${columnOf(table)} = ${text(source.accountId)}`);
  }
  // From now on, no user can join or leave the account, so the list of users is final.
  const uids = await onlyHere(source);
  for (const table of userTables) await reject(source, table, `uid = ANY (${text(`{${uids.join()}}`)}::text[])`);
}

/** Accepts writes to the account again. */
export async function unfreeze(source: Source): Promise<void> {
  const { database, name, schema } = source;
  for (const { table, trigger } of await triggersOf(source)) {
    await patiently(database, `DROP TRIGGER IF EXISTS ${trigger} ON ${name(table)}`, table);
  }
  const { jobs } = queueTables(schema);
  await patiently(database, `DROP TRIGGER IF EXISTS ${triggerOf(source, 'jobs')} ON ${jobs}`, jobs);
  await database.query(`UPDATE ${jobs} SET run_at = run_at - ${LATER} WHERE ${ofAccount(source)} AND ${isPutOff('')}`);
  await database.query(`DROP FUNCTION IF EXISTS ${name(PUT_OFF)}(), ${name(REJECT)}()`).catch((error: Error) => {
    // Keep the functions if another moving account still uses them.
    if ((error as { code?: string }).code !== DEPENDENT_OBJECTS) throw error;
  });
}

/** Lists the users who are in no other account of this database. */
export async function onlyHere({ database, name, accountId }: Source): Promise<string[]> {
  const members = name('account_member');
  const rows = await database.query<{ uid: string }[]>(
    `SELECT uid FROM ${members} here WHERE account_id = $1
       AND NOT EXISTS (SELECT FROM ${members} other WHERE other.uid = here.uid AND other.account_id <> $1) ORDER BY uid`,
    [accountId],
  );
  return rows.map(({ uid }) => uid);
}

/** Returns the SQL condition that a job belongs to the account. */
export const ofAccount = ({ accountId }: Pick<Source, 'accountId'>): string =>
  `payload->>'accountId' = ${text(accountId)}`;

const isPutOff = (row: string) => `${row}run_at > now() + ${LATER} / 2`;

/** Postpones the jobs of the account, even later ones, and waits for the end of running ones. */
async function putJobsOff(source: Source): Promise<void> {
  const { database, name, schema } = source;
  const { jobs } = queueTables(schema);
  await database.query(`
    CREATE OR REPLACE FUNCTION ${name(PUT_OFF)}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF NOT ${isPutOff('NEW.')} THEN NEW.run_at := NEW.run_at + ${LATER}; END IF;
      RETURN NEW;
    END $$`);
  const trigger = `CREATE OR REPLACE TRIGGER ${triggerOf(source, 'jobs')} BEFORE INSERT OR UPDATE ON ${jobs} FOR EACH ROW
    WHEN (NEW.${ofAccount(source)} AND NEW.locked_at IS NULL) EXECUTE FUNCTION ${name(PUT_OFF)}()`;
  await patiently(database, trigger, jobs);
  await database.query(`UPDATE ${jobs} SET run_at = run_at WHERE ${ofAccount(source)} AND locked_at IS NULL`);
  const running = `SELECT count(*)::int AS count FROM ${jobs} WHERE ${ofAccount(source)} AND locked_at IS NOT NULL`;
  const until = performance.now() + WITHIN_MS;
  while ((await database.query<[{ count: number }]>(running))[0].count > 0) {
    if (performance.now() > until)
      throw new OperatorFailed('A job of the account is still running after a minute. Try again later.');
    await pause(AGAIN_MS);
  }
}

const rejectSql = (name: Named) => `
  CREATE OR REPLACE FUNCTION ${name(REJECT)}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF TG_ARGV[1] = 'leave out' AND TG_OP = 'UPDATE' THEN RETURN NULL; END IF;
    RAISE EXCEPTION 'The account % is moving to another database', TG_ARGV[0] USING ERRCODE = '${LOCK_NOT_AVAILABLE}';
  END $$`;

const columnOf = (table: string) => (table === 'account' ? 'id' : 'account_id');

/** Creates the triggers that reject changes of rows that match a condition. */
async function reject(source: Source, table: string, condition: string): Promise<void> {
  const { database, name, accountId } = source;
  const there = await triggersOf(source);
  // Keep triggers of an interrupted call, because creating them again would make other transactions wait.
  if (table === 'suspect_job' || there.filter((each) => each.table === table).length === 2) return;
  const how = activityTables.includes(table) ? 'leave out' : 'reject';
  const create = (kind: 'added' | 'changed', events: string, row: string) => `
    CREATE OR REPLACE TRIGGER ${triggerOf(source, kind)} BEFORE ${events} ON ${name(table)} FOR EACH ROW
    WHEN (${row}.${condition}) EXECUTE FUNCTION ${name(REJECT)}(${text(accountId)}, '${how}')`;
  await patiently(database, create('added', 'INSERT', 'NEW'), table);
  await patiently(database, create('changed', 'UPDATE OR DELETE', 'OLD'), table);
}

/** Returns the name of a trigger. It contains the account, because several accounts may move at the same time. */
function triggerOf({ accountId }: Source, kind: string): string {
  return `moving_${kind}_${createHash('sha256').update(accountId).digest('hex').slice(0, 24)}`;
}

function triggersOf(source: Source): Promise<{ table: string; trigger: string }[]> {
  return source.database.query(
    `SELECT c.relname AS table, g.tgname AS trigger FROM pg_trigger g JOIN pg_class c ON c.oid = g.tgrelid
      WHERE g.tgname = ANY ($1::text[]) AND g.tgparentid = 0 AND c.relnamespace = current_schema()::regnamespace`,
    [[triggerOf(source, 'added'), triggerOf(source, 'changed')]],
  );
}

/**
 * Runs a statement that needs a lock on a table. Each attempt waits only briefly, because other transactions queue
 * behind a waiting lock.
 */
async function patiently(database: DataSource, statement: string, table: string): Promise<void> {
  const until = performance.now() + WITHIN_MS;
  for (;;) {
    try {
      await database.query(statement);
      return;
    } catch (error) {
      if ((error as { code?: string }).code !== LOCK_NOT_AVAILABLE) throw error;
      if (performance.now() > until)
        throw new OperatorFailed(`The table ${table} is in use by a long transaction. Try again later.`);
    }
    await pause(AGAIN_MS);
  }
}
