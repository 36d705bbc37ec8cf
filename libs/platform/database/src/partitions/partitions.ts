import { setTimeout as pause } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { type EntityManager, QueryFailedError } from 'typeorm';
import type { Database } from '../database.js';
import { endOfPartition, partitionEnd, partitionName, type PartitionedTable } from './partitioned-table.js';

/**
 * How long creating a partition waits for running statements. It must be short, because later statements queue behind
 * it.
 */
const LOCK_TIMEOUT = '200ms';
const ATTEMPTS = 5;
const ATTEMPT_EVERY_MS = 500;
const LOCK_NOT_AVAILABLE = '55P03';
/** The maximum number of time spans to search for the last row of the default partition. */
const SPANS_AT_MOST = 500;
/** How many partitions one transaction creates and locks. The next call creates more. */
const MADE_AT_ONCE = 60;
const SPAN_DAYS = { day: 1, week: 7, month: 31 };
const DAY_MS = 24 * 60 * 60 * 1000;

const logger = new Logger('Partitions');

/**
 * Creates the partitions that a table will need, and drops those in which every row is older than `before`. Rows must
 * confirm that the time has passed, because the clock may be wrong. Safe on several nodes at the same time. Rows that
 * fit no partition go to the default partition, which later becomes the partition of their time.
 */
export async function maintainPartitions(
  database: Database,
  table: PartitionedTable,
  { now, before }: { readonly now: Date; readonly before: Date },
): Promise<void> {
  await alone(database, table, (tx) => extend(tx, table, now));
  const storedMs = now.getTime() - before.getTime();
  await alone(database, table, (tx) => dropOld(tx, table, before, storedMs));
}

/** Runs work on one node at a time. Other transactions may read and write rows meanwhile. */
async function alone(
  database: Database,
  { name }: PartitionedTable,
  work: (tx: EntityManager) => Promise<void>,
): Promise<void> {
  const locked = async (tx: EntityManager) => {
    await tx.query(`SET LOCAL lock_timeout = '${LOCK_TIMEOUT}'`);
    await tx.query(`LOCK TABLE ${name} IN SHARE UPDATE EXCLUSIVE MODE`);
    await work(tx);
  };
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    if (attempt > 0) await pause(ATTEMPT_EVERY_MS);
    const isDone = await database.transaction(locked).then(() => true, rejectAllButLocked);
    if (isDone) return;
  }
  logger.warn(`The partitions of ${name} are in use; they are looked at again later`);
}

function rejectAllButLocked(error: unknown): false {
  const code = error instanceof QueryFailedError ? (error.driverError as { code?: string }).code : undefined;
  if (code !== LOCK_NOT_AVAILABLE) throw error;
  return false;
}

async function extend(tx: EntityManager, table: PartitionedTable, now: Date): Promise<void> {
  let last = (await endsOf(tx, table)).at(-1);
  if (!last) throw new Error(`${table.name} has no partition to begin with`);
  if (await hasRows(tx, defaultOf(table))) {
    // Without the lock, another transaction could commit a row after the end of the new partition.
    await tx.query(`LOCK TABLE ONLY ${table.name} IN ACCESS EXCLUSIVE MODE`);
    const end = await endOfDefault(tx, table, last, now);
    if (!end) return;
    await adoptDefault(tx, table, last, end);
    last = end;
  }
  let horizon = now;
  for (let spans = 0; spans < table.ahead; spans++) horizon = partitionEnd(table, horizon);
  // Create one partition per span, because a partition over a long span would keep its rows for too long.
  for (let made = 0; last <= horizon && made < MADE_AT_ONCE; made++) {
    const end = partitionEnd(table, last);
    await create(tx, table, partitionName(table.name, end), bounds(table, last, end));
    last = end;
  }
}

/**
 * Returns the end of a partition that would hold all rows of the default partition; null if the time of a row is too
 * far ahead.
 */
async function endOfDefault(tx: EntityManager, table: PartitionedTable, start: Date, now: Date): Promise<Date | null> {
  let end = partitionEnd(table, start < now ? now : start);
  for (let spans = 0; spans < SPANS_AT_MOST; spans++) {
    if (!(await hasRows(tx, defaultOf(table), `${table.key} >= ${keyOf(table, end)}`))) return end;
    end = partitionEnd(table, end);
  }
  logger.error(
    `${defaultOf(table)} has rows after ${end.toISOString()}. Delete them: until then it takes all new rows`,
  );
  return null;
}

/** Turns the default partition into the partition of its rows' time, without moving them. */
async function adoptDefault(tx: EntityManager, table: PartitionedTable, start: Date, end: Date): Promise<void> {
  const name = partitionName(table.name, end);
  await tx.query(`ALTER TABLE ${table.name} DETACH PARTITION ${defaultOf(table)}`);
  await tx.query(`ALTER TABLE ${defaultOf(table)} RENAME TO ${name}`);
  await tx.query(`ALTER TABLE ${table.name} ATTACH PARTITION ${name} ${bounds(table, start, end)}`);
  await create(tx, table, defaultOf(table), 'DEFAULT');
  logger.warn(`${name} was created late: rows of its time were in the default partition`);
}

/** Drops old partitions. An empty partition replaces them, so that rows of any past time still fit. */
async function dropOld(tx: EntityManager, table: PartitionedTable, before: Date, storedMs: number): Promise<void> {
  const old = (await endsOf(tx, table)).filter((end) => end <= before);
  let end = old.at(-1);
  while (end && !(await isOldForRows(tx, table, end, storedMs))) {
    old.pop();
    end = old.at(-1);
  }
  if (!end) return;
  const names = old.map((each) => partitionName(table.name, each));
  if (names.length === 1 && !(await hasRows(tx, names.join()))) return;
  await tx.query(`DROP TABLE ${names.join(', ')}`);
  await create(tx, table, partitionName(table.name, end), `FOR VALUES FROM (MINVALUE) TO (${keyOf(table, end)})`);
  logger.log(`Dropped what is older than ${end.toISOString().slice(0, 10)} of ${table.name}`);
}

/**
 * Returns true if rows exist both before and after the expiry of a partition with this end. A clock that has jumped
 * ahead leaves one of these spans without rows.
 */
async function isOldForRows(tx: EntityManager, table: PartitionedTable, end: Date, storedMs: number): Promise<boolean> {
  const spanMs = SPAN_DAYS[table.each] * DAY_MS;
  const [before, over, after] = [-spanMs, 0, spanMs].map((ms) => keyOf(table, new Date(end.getTime() + storedMs + ms)));
  return (
    (await hasRows(tx, table.name, `${table.key} >= ${before} AND ${table.key} < ${over}`)) &&
    (await hasRows(tx, table.name, `${table.key} >= ${over} AND ${table.key} < ${after}`))
  );
}

/** Creates a partition as a separate table and then attaches it, which blocks only queries on the default partition. */
async function create(tx: EntityManager, table: PartitionedTable, name: string, forValues: string): Promise<void> {
  await tx.query(`CREATE TABLE ${name} (LIKE ${table.name} INCLUDING ALL EXCLUDING IDENTITY)`);
  await tx.query(`ALTER TABLE ${table.name} ATTACH PARTITION ${name} ${forValues}`);
  // Copy the TRUNCATE triggers. A partition inherits only the row triggers of its table.
  const triggers = await tx.query<{ definition: string }[]>(
    `SELECT pg_get_triggerdef(oid) AS definition FROM pg_trigger
     WHERE tgrelid = $1::regclass AND NOT tgisinternal AND tgtype::integer & 32 <> 0`,
    [table.name],
  );
  for (const { definition } of triggers) await tx.query(definition.replace(/ ON \S+ /, ` ON ${name} `));
}

async function endsOf(tx: EntityManager, { name }: PartitionedTable): Promise<Date[]> {
  const rows = await tx.query<{ name: string }[]>(
    'SELECT c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = $1::regclass',
    [name],
  );
  const ends = rows.map((row) => endOfPartition(row.name)).filter((end) => end !== null);
  return ends.sort((one, other) => one.getTime() - other.getTime());
}

async function hasRows(tx: EntityManager, table: string, condition = 'true'): Promise<boolean> {
  const [row] = await tx.query<{ found: boolean }[]>(
    `SELECT EXISTS (SELECT 1 FROM ${table} WHERE ${condition}) AS found`,
  );
  return row?.found === true;
}

const defaultOf = ({ name }: PartitionedTable) => `${name}_default`;
const keyOf = ({ keyAt }: PartitionedTable, at: Date) => `'${keyAt ? keyAt(at) : at.toISOString()}'`;
const bounds = (table: PartitionedTable, start: Date, end: Date) =>
  `FOR VALUES FROM (${keyOf(table, start)}) TO (${keyOf(table, end)})`;
