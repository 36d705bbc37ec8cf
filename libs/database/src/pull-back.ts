import type { EntityManager } from 'typeorm';
import type { Database } from './database.js';

const ROWS_AT_ONCE = 2000;

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
