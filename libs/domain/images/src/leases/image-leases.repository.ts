import { Injectable } from '@nestjs/common';
import { Database } from '@passwright/database';
import { DataSource, type EntityManager } from 'typeorm';

/** A lease that has ended. */
export interface EndedLease {
  readonly accountId: string;
  readonly key: string;
  /** True for an uploaded image whose deletion has not begun. An `ImagesReleased` job deletes it. */
  readonly upload: boolean;
}

/** All queries on the table `image_hold`. */
@Injectable()
export class ImageLeasesRepository {
  constructor(
    private readonly database: Database,
    private readonly dataSource: DataSource,
  ) {}

  /**
   * Leases images. Without `tx`, uses a separate connection, so that the lease does not depend on the caller's
   * transaction.
   * @returns the leased keys; the other images are being deleted
   */
  async take(
    accountId: string,
    keys: readonly string[],
    until: Date,
    upload: boolean,
    tx: Pick<EntityManager, 'query'> = this.dataSource,
  ): Promise<Set<string>> {
    const rows = await tx.query<{ key: string }[]>(takeSql, [accountId, keys, until, upload]);
    return new Set(rows.map(({ key }) => key));
  }

  /**
   * Claims the images without a lease for deletion. The claim lasts until `endDeletion`, but at most `ms` from `now`.
   * During the claim, no request can lease the images, and no other node can delete them.
   * @returns the claimed keys
   */
  async claim(
    tx: EntityManager,
    accountId: string,
    keys: readonly string[],
    { now, ms }: { readonly now: Date; readonly ms: number },
  ): Promise<string[]> {
    const claimedUntil = new Date(now.getTime() + ms);
    const claimed = await tx.query<{ key: string }[]>(claimSql(ms), [accountId, keys, claimedUntil]);
    return claimed.map(({ key }) => key);
  }

  /** Returns when the last lease of these images ends; null if no image has a lease. */
  async leasedUntil(tx: EntityManager, accountId: string, keys: readonly string[]): Promise<Date | null> {
    const [row] = await tx.query<{ until: Date | null }[]>(
      'SELECT max(until) AS until FROM image_hold WHERE account_id = $1 AND key = ANY($2::text[])',
      [accountId, keys],
    );
    return row?.until ?? null;
  }

  async endDeletion(tx: EntityManager, accountId: string, keys: readonly string[]): Promise<void> {
    if (keys.length === 0) return;
    await tx.query(deleteSql(), [accountId, keys]);
  }

  /** Deletes ended leases of uploads. */
  async endUploads(tx: EntityManager, accountId: string, keys: readonly string[], now: Date): Promise<void> {
    if (keys.length === 0) return;
    await tx.query(deleteSql('AND upload AND NOT deleting AND until <= $3'), [accountId, keys, now]);
  }

  /** Lists expired leases and unfinished deletions. */
  listEnded(now: Date, limit: number): Promise<EndedLease[]> {
    return this.database.reads.query<EndedLease[]>(
      `SELECT account_id AS "accountId", key, upload AND NOT deleting AS upload FROM image_hold
       WHERE until <= $1 ORDER BY until LIMIT $2`,
      [now, limit],
    );
  }
}

const takeSql = `
  INSERT INTO image_hold AS held (account_id, key, until, upload)
  SELECT $1, key, $3, $4 FROM unnest($2::text[]) AS key ORDER BY key
  ON CONFLICT (account_id, key) DO UPDATE
    SET until = greatest(held.until, excluded.until), upload = held.upload OR excluded.upload
  WHERE NOT held.deleting
  RETURNING key`;

/**
 * SQL that claims images without a lease, or with an ended one. `ms` is the length of the claim, and $3 is its end.
 * Citus accepts no parameter after ON CONFLICT, so the text contains `ms`.
 */
const claimSql = (ms: number) => `
  INSERT INTO image_hold AS held (account_id, key, until, upload, deleting)
  SELECT $1, key, $3, false, true FROM unnest($2::text[]) AS key ORDER BY key
  ON CONFLICT (account_id, key) DO UPDATE SET deleting = true, until = excluded.until
  WHERE excluded.until - held.until >= interval '${ms} ms'
  RETURNING key`;

/** Locks the rows in the order in which `takeSql` and `claimSql` lock them. */
const deleteSql = (which = '') => `
  WITH held AS MATERIALIZED (
    SELECT key FROM image_hold WHERE account_id = $1 AND key = ANY($2::text[]) ${which} ORDER BY key FOR UPDATE
  )
  DELETE FROM image_hold AS gone USING held WHERE gone.account_id = $1 AND gone.key = held.key`;
