import type { EntityManager } from 'typeorm';

/** A snapshot of the database that was handed out, and the history that it belongs to, as `history_epoch()` names it. */
export interface HandedOutSnapshot {
  readonly epoch: string;
  readonly snapshot: string;
}

/*
 * The row may be another one by the time it is locked: then an incarnation has begun, and nothing is to be noted.
 */
const noteSql = `
  UPDATE incarnation SET server = 'restored'
  WHERE id = (SELECT id FROM incarnation) AND server IS DISTINCT FROM 'restored' AND history_epoch() = $1
    AND pg_snapshot_xmax($2::pg_snapshot) > pg_snapshot_xmax(pg_current_snapshot())`;

/**
 * Has the next look begin an incarnation if a snapshot of this history is ahead of the database: the state that it was
 * taken of is lost. Call it only with a snapshot that the service is known to have handed out itself.
 * @returns whether it is the first to say so
 */
export async function noteLostFuture(tx: EntityManager, { epoch, snapshot }: HandedOutSnapshot): Promise<boolean> {
  const [, changed] = await tx.query<[unknown[], number]>(noteSql, [epoch, snapshot]);
  return changed > 0;
}
