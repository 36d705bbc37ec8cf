import { randomInt } from 'node:crypto';
import { Injectable } from '@nestjs/common';

/** The first half of the advisory lock of a process that claims work: an arbitrary number, the bytes of "clms". */
export const CLAIMANT_LOCKS = 0x636c6d73;

/** Selects the keys of the processes that run jobs now. */
const presentSql = `
  SELECT objid FROM pg_locks
   WHERE locktype = 'advisory' AND granted AND classid = ${CLAIMANT_LOCKS} AND objsubid = 2
     AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;

/** Returns an SQL condition: the process whose key is in `column` has died. Null counts as alive. */
export const hasDied = (column: string): string => `(${column} IS NOT NULL AND ${column}::oid NOT IN (${presentSql}))`;

/**
 * This process in the claims of our own queues (pushes, writes to Google, deliveries). While it runs jobs, it shows its
 * key as an advisory lock, so that another process can end its claims when it has died.
 */
@Injectable()
export class Claimant {
  private shown: number | null = null;

  /** Null in a process that runs no jobs: if it dies, each of its claims ends with its time. */
  get key(): number | null {
    return this.shown;
  }

  /** Gives the process a key. Call it before the process shows itself. */
  name(): number {
    return (this.shown ??= randomInt(2 ** 31));
  }
}
