import type { EntityManager } from 'typeorm';
import type { Database } from './database.js';

const ROWS_AT_ONCE = 2000;
/** Longer than any claim lasts, so that what a living process has in hand is not taken from it. */
const CLAIMS_HOURS = 2 / 60;

/** A column of times until which something waits. */
export interface WaitingTimes {
  readonly table: string;
  /** The columns of the primary key. */
  readonly key: readonly string[];
  readonly column: string;
  /** The service never writes a time that is further ahead. */
  readonly longestHours: number;
}

/**
 * Makes due at `now` what waits for longer than the service ever lets it wait: the clock of the database was ahead when it
 * was written. Rows that another transaction has locked are left for the next call.
 */
export async function pullBack(database: Database, waiting: readonly WaitingTimes[], now: Date): Promise<void> {
  for (const times of waiting) while ((await database.transaction((tx) => pullSome(tx, times, now))) >= ROWS_AT_ONCE);
}

/**
 * Makes due at `now` what waits for more than two minutes. Call it when the time has gone back: a wait that is right cannot
 * be told from a wrong one then, and a retry that comes early does no harm.
 */
export function pullAllBack(database: Database, waiting: readonly WaitingTimes[], now: Date): Promise<void> {
  return pullBack(
    database,
    waiting.map((times) => ({ ...times, longestHours: CLAIMS_HOURS })),
    now,
  );
}

async function pullSome(
  tx: EntityManager,
  { table, key, column, longestHours }: WaitingTimes,
  now: Date,
): Promise<number> {
  const same = key.map((name) => `late.${name} = page.${name}`).join(' AND ');
  const [, pulled] = await tx.query<[unknown[], number]>(
    `WITH page AS MATERIALIZED (
       SELECT ${key.join(', ')} FROM ${table} WHERE ${column} > $2 LIMIT ${ROWS_AT_ONCE} FOR NO KEY UPDATE SKIP LOCKED
     )
     UPDATE ${table} AS late SET ${column} = $1 FROM page WHERE ${same}`,
    [now, new Date(now.getTime() + longestHours * 3_600_000)],
  );
  return pulled;
}
