import type { EntityManager } from 'typeorm';

/** A database snapshot that the service has issued, and the name of its history from `history_epoch()`. */
export interface HandedOutSnapshot {
  readonly epoch: string;
  readonly snapshot: string;
}

/*
 * If another node replaces the row before this statement locks it, an incarnation has begun, and this statement changes
 * nothing.
 */
const noteSql = `
  UPDATE incarnation SET server = 'restored'
  WHERE id = (SELECT id FROM incarnation) AND server IS DISTINCT FROM 'restored' AND history_epoch() = $1
    AND pg_snapshot_xmax($2::pg_snapshot) > pg_snapshot_xmax(pg_current_snapshot())`;

const lockSql = `SELECT FROM incarnation WHERE server IS DISTINCT FROM 'restored' FOR UPDATE`;
const markSql = `UPDATE incarnation SET server = 'restored'`;

/**
 * Makes the next check begin a new incarnation if a snapshot of this history is newer than the database, because the
 * database has then lost changes. Pass only snapshots that the service itself has issued.
 * @returns true if this call is the first to report the loss
 */
export async function noteLostFuture(tx: EntityManager, { epoch, snapshot }: HandedOutSnapshot): Promise<boolean> {
  const [, changed] = await tx.query<[unknown[], number]>(noteSql, [epoch, snapshot]);
  return changed > 0;
}

/**
 * Works like `noteLostFuture` on Citus, for a snapshot of a server other than the coordinator.
 * @param isAhead compares the snapshot on its server within the transaction
 */
export async function noteLostFutureElsewhere(tx: EntityManager, isAhead: () => Promise<boolean>): Promise<boolean> {
  const unmarked = await tx.query<unknown[]>(lockSql);
  if (unmarked.length === 0 || !(await isAhead())) return false;
  await tx.query(markSql);
  return true;
}
