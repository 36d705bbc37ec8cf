import type { EntityManager } from 'typeorm';
import type { Database } from './database.js';
import { inAllAccounts } from './distribution/per-account.js';

const ROWS_AT_ONCE = 2000;
/**
 * The longest wait that `pullAllBack` leaves unchanged. It is longer than any claim lasts, so that running processes
 * keep their work.
 */
const CLAIMS_HOURS = 2 / 60;

/** A column with the time until which a row waits. */
export interface WaitingTimes {
  readonly table: string;
  /** The columns of the primary key. */
  readonly key: readonly string[];
  readonly column: string;
  /** The longest wait that the service ever writes into the column. */
  readonly longestHours: number;
}

/**
 * Makes rows due at `now` if they wait longer than the service ever makes a row wait. Such rows were written while the
 * database's clock was ahead. Skips locked rows; the next call handles them.
 */
export async function pullBack(database: Database, waiting: readonly WaitingTimes[], now: Date): Promise<void> {
  for (const times of waiting)
    while ((await database.transaction((tx) => pullSome(database, tx, times, now))) >= ROWS_AT_ONCE);
}

/**
 * Makes rows due at `now` if they wait more than two minutes. Call it after the database's clock was set back, because
 * the wrong clock may have set the due time. An early retry does no harm.
 */
export function pullAllBack(database: Database, waiting: readonly WaitingTimes[], now: Date): Promise<void> {
  return pullBack(
    database,
    waiting.map((times) => ({ ...times, longestHours: CLAIMS_HOURS })),
    now,
  );
}

async function pullSome(
  database: Database,
  tx: EntityManager,
  { table, key, column, longestHours }: WaitingTimes,
  now: Date,
): Promise<number> {
  const same = key.map((name) => `late.${name} = page.${name}`).join(' AND ');
  const [, pulled] = await tx.query<[unknown[], number]>(
    inAllAccounts(
      database,
      `WITH page AS MATERIALIZED (
       SELECT ${key.join(', ')} FROM ${table} WHERE ${column} > $2 LIMIT ${ROWS_AT_ONCE} FOR NO KEY UPDATE SKIP LOCKED
     )
     UPDATE ${table} AS late SET ${column} = $1 FROM page WHERE ${same}`,
    ),
    [now, new Date(now.getTime() + longestHours * 3_600_000)],
  );
  return pulled;
}
