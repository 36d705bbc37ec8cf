import { queueTables } from '@passwright/database';
import type { DataSource } from 'typeorm';
import { type AccountTable, text } from './account-tables.js';
import { freeze, LATER, ofAccount, onlyHere, type Source, unfreeze } from './account-freeze.js';
import { OperatorFailed } from './operator-session.js';
import { outputOn, runScript, type Target } from './postgres-programs.js';

/** The number of rows deleted in one transaction. */
const DELETED_AT_ONCE = 2000;
/**
 * The tables whose rows are deleted last, together with the users, while foreign keys protect users of other accounts.
 */
const [ofAccounts, ofMembers] = ['account', 'account_member'];
const lastTables = [ofMembers, ofAccounts];
/** Turns off the triggers for foreign keys, counters and events, because a move only copies data. */
const asTheyAre = 'SET LOCAL session_replication_role = replica';

/** A move of an account between two databases. */
export interface Move extends Source {
  readonly from: Target;
  readonly to: Target;
  /** The database that the account moves to. */
  readonly target: DataSource;
}

/** Returns true if the account is in the database. */
export async function hasAccount(database: DataSource, accountId: string): Promise<boolean> {
  const sql = `SELECT EXISTS (SELECT FROM ${ofAccounts} WHERE id = $1) AS "isThere"`;
  return (await database.query<[{ isThere: boolean }]>(sql, [accountId]))[0].isThere;
}

/**
 * Rejects writes to the account from now on, and copies the account in one snapshot and one transaction. Afterwards
 * this database keeps rejecting writes, so that no change is lost. If the copy fails, it accepts writes again.
 * @throws OperatorFailed
 */
export async function copyAccount(move: Move): Promise<void> {
  try {
    await freeze(move);
    await runScript(move.to, () => copyScript(move));
  } catch (error) {
    // Check the target, because the connection may have ended during the commit.
    const isThere = await hasAccount(move.target, move.accountId).catch(() => {
      throw new OperatorFailed(`${(error as Error).message}\nThe copy may be complete: repeat "move copy".`);
    });
    if (!isThere) await unfreeze(move);
    throw error;
  }
}

/** Yields the script that the target runs. psql writes it from one snapshot of this database. */
async function* copyScript(move: Move): AsyncGenerator<string | Buffer> {
  // Turn off the target's time limits, because its session is idle while the source counts rows.
  yield `SET statement_timeout = 0;\nSET idle_in_transaction_session_timeout = 0;\n${asTheyAre};\n`;
  const commands = [
    'SET statement_timeout = 0',
    'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY',
    ...move.tables.flatMap((table) => copyCommands(move, table)),
    ...move.tables.map((table) => countCheck(move, table)),
    jobsCommand(move),
    sequencesCommand(move),
  ];
  const options = ['--no-psqlrc', '--quiet', '--no-align', '--tuples-only', '--set=ON_ERROR_STOP=1'];
  yield* outputOn(move.from, 'psql', [...options, ...commands.map((command) => `--command=${command}`)]);
}

function copyCommands({ accountId, name }: Move, table: AccountTable): string[] {
  const columns = table.columns.map((column) => `"${column}"`).join(', ');
  const order = table.order.length > 0 ? ` ORDER BY ${table.order.join(', ')}` : '';
  const rows = `SELECT ${columns} FROM ${name(table.name)} WHERE ${table.condition(accountId)}${order}`;
  const into = table.isOfUsers ? `pg_temp."${table.name}"` : name(table.name);
  const copy = [print(`COPY ${into} (${columns}) FROM STDIN;`), `COPY (${rows}) TO STDOUT`, print('\\\\.')];
  if (!table.isOfUsers) return copy;
  return [
    print(`CREATE TEMP TABLE "${table.name}" ON COMMIT DROP AS SELECT ${columns} FROM ${name(table.name)} LIMIT 0;`),
    ...copy,
    print(
      `INSERT INTO ${name(table.name)} (${columns}) SELECT ${columns} FROM ${into} ON CONFLICT (${table.key.join(', ')}) DO NOTHING;`,
    ),
  ];
}

const print = (line: string) => `\\echo ${text(line)}`;

/**
 * Writes a statement that fails if the numbers of the account's rows in both databases differ. In tables of users, the
 * target may have more.
 */
function countCheck({ accountId, name }: Move, table: AccountTable): string {
  const condition = table.condition(accountId);
  const differs = table.isOfUsers && table.name !== 'app_user' ? '<' : '<>';
  const check =
    `DO $check$ BEGIN IF (SELECT count(*) FROM ${name(table.name)} WHERE ${condition}) ${differs} %s THEN ` +
    `RAISE EXCEPTION 'The copy of ${table.name} is not complete'; END IF; END $check$;`;
  return `SELECT format($sql$${check}$sql$, count(*)) FROM ${name(table.name)} WHERE ${condition}`;
}

/** Writes the statements that add the account's jobs in the target, each due at its original time. */
function jobsCommand(move: Move): string {
  const { jobs, tasks, addJob } = queueTables(move.schema);
  return `
    SELECT format('SELECT FROM ${addJob}(identifier => %L, payload => %L, run_at => %L, max_attempts => %s, job_key => %L, priority => %s, flags => %L);',
      task.identifier, payload, run_at - ${LATER}, max_attempts, key, priority,
      nullif(array(SELECT jsonb_object_keys(flags)), '{}'))
    FROM ${jobs} job JOIN ${tasks} task ON task.id = job.task_id WHERE ${ofAccount(move)} ORDER BY job.id`;
}

/**
 * Writes the statements that advance the target's sequences beyond the copied rows. Equal numbers advance too, because
 * an unused sequence returns its `last_value` next.
 */
function sequencesCommand({ name }: Move): string {
  return ['apple_push_number']
    .map(
      (sequence) =>
        `SELECT format($sql$SELECT setval('${name(sequence)}', %1$s) FROM ${name(sequence)} WHERE last_value <= %1$s;$sql$, last_value)
         FROM ${name(sequence)}`,
    )
    .join(';');
}

/**
 * Deletes the account from the source after its copy, without notifying phones or webhooks. First queues pushes in the
 * target for phones that asked the source after the copy. Repeat the call after an interruption.
 * @returns the number of deleted rows
 */
export async function finishMove(move: Move): Promise<number> {
  const { database, accountId, tables, name, schema } = move;
  await pushOutdated(move);
  // Freeze the account again, because an interrupted call may have removed the triggers.
  await freeze(move);
  let deleted = 0;
  for (const table of [...tables].reverse()) {
    if (!lastTables.includes(table.name)) deleted += await deleteRows(move, table);
  }
  await database.query(`DELETE FROM ${queueTables(schema).jobs} WHERE ${ofAccount(move)} AND locked_at IS NULL`);
  await unfreeze(move);
  deleted += await deleteMembers(move);
  await database.query(`DELETE FROM ${name(ofAccounts)} WHERE id = $1`, [accountId]);
  return deleted + 1;
}

/** Deletes the account's rows of a table, but keeps the rows of its users. */
async function deleteRows({ database, name, accountId }: Move, table: AccountTable): Promise<number> {
  if (table.isOfUsers && !['encryption_key', 'user_code'].includes(table.name)) return 0;
  const condition = table.isOfUsers ? `account_id = ${text(accountId)}` : table.condition(accountId);
  const key = table.key.map((column) => `"${column}"`).join(', ');
  const page = `SELECT ${key} FROM ${name(table.name)} WHERE ${condition} LIMIT ${DELETED_AT_ONCE}`;
  let deleted = 0;
  for (;;) {
    const count = await database.transaction(async (tx) => {
      await tx.query(asTheyAre);
      const [, rows] = await tx.query<[unknown, number]>(
        `DELETE FROM ${name(table.name)} WHERE ${condition} AND (${key}) IN (${page})`,
      );
      return rows;
    });
    deleted += count;
    if (count === 0) return deleted;
  }
}

/**
 * Deletes the memberships of the account, and the users who are in no other account. Foreign keys protect users who
 * join another account meanwhile.
 */
async function deleteMembers(move: Move): Promise<number> {
  const { database, name, accountId } = move;
  const uids = await onlyHere(move);
  return database.transaction(async (tx) => {
    await tx.query(`SELECT FROM ${name('app_user')} WHERE uid = ANY ($1::text[]) ORDER BY uid FOR UPDATE`, [uids]);
    const members = `DELETE FROM ${name(ofMembers)} WHERE account_id = $1`;
    const [, left] = await tx.query<[unknown, number]>(members, [accountId]);
    const [, gone] = await tx.query<[unknown, number]>(
      `DELETE FROM ${name('app_user')} u WHERE uid = ANY ($1::text[])
         AND NOT EXISTS (SELECT FROM ${name(ofMembers)} m WHERE m.uid = u.uid)`,
      [uids],
    );
    return left + gone;
  });
}

/** Queues pushes in the target for phones that do not have the current version of their passes. */
async function pushOutdated({ target, name, schema, accountId }: Move): Promise<void> {
  const { addJob } = queueTables(schema);
  await target.query(
    `SELECT count(${addJob}('apple-push.mark', json_build_object(
        'accountId', account_id, 'changed', json_build_object('templateId', id), 'afterDeviceId', '')))
       FROM ${name('template')} WHERE account_id = $1`,
    [accountId],
  );
}
