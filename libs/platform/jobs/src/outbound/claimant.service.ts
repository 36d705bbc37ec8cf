import { randomInt } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';

/** The first half of the advisory lock of a process that claims work: an arbitrary number, the bytes of "clms". */
export const CLAIMANT_LOCKS = 0x636c6d73;

/** Selects the keys of the processes that run jobs now. */
const presentSql = `
  SELECT objid FROM pg_locks
   WHERE locktype = 'advisory' AND granted AND classid = ${CLAIMANT_LOCKS} AND objsubid = 2
     AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;

/** Returns an SQL condition that is true if the process whose key is in `column` has died. Null counts as alive. */
export const hasDied = (column: string): string => `(${column} IS NOT NULL AND ${column}::oid NOT IN (${presentSql}))`;

/**
 * Returns the keys whose processes have died. Use it on Citus, where the locks are on the coordinator but `hasDied`
 * runs on another server.
 */
export async function whichDied(reads: EntityManager, keys: readonly number[]): Promise<number[]> {
  const sql = `SELECT key FROM unnest($1::int[]) AS key WHERE ${hasDied('key')}`;
  return (await reads.query<{ key: number }[]>(sql, [keys])).map(({ key }) => key);
}

/**
 * Identifies this process in the claims of our own queues (pushes, deliveries). Holds an advisory lock under its key
 * while it runs jobs, so that other processes notice its death and take over its claims.
 */
@Injectable()
export class Claimant {
  readonly id = randomInt(2 ** 31);
  isShown = false;

  /** The key of this process; null while it does not hold the lock. Its claims then end only by time. */
  get key(): number | null {
    return this.isShown ? this.id : null;
  }
}
