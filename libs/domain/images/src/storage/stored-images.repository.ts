import { Injectable, Logger } from '@nestjs/common';
import type { AccountStorageResponse } from '@passwright/accounts';
import { LimitExceeded, StorageUnavailable } from '@passwright/core';
import { DataSource, type EntityManager } from 'typeorm';
import { ImagesOptions } from '../images.options.js';

const mebibyte = 1024 * 1024;
const QUIET_MS = 60_000;
/** Maximum number of missing images to remember, which take about 100 kB. */
const MISSING_AT_MOST = 1000;
const defaultMostBytes = 5 * 1024 * mebibyte;

interface CountedImage {
  readonly key: string;
  readonly sizeBytes: number;
}

/**
 * Counts the bytes of each account's stored images and enforces the limit. Counts an image from just before it is
 * stored until it is deleted. Images with the same content count once.
 */
@Injectable()
export class StoredImagesRepository {
  private readonly logger = new Logger('Images');
  private readonly mostBytes: number;
  /** The time after which each missing image may be logged again. */
  private readonly quietUntil = new Map<string, number>();

  constructor(
    private readonly dataSource: DataSource,
    { imageBytesPerAccount = defaultMostBytes }: ImagesOptions,
  ) {
    this.mostBytes = imageBytesPerAccount;
  }

  /**
   * Counts images that are about to be stored, except images that are already counted. Simultaneous calls for one
   * account run one after another.
   * @param tx counts in this transaction, as its last statement. Default: counts in a separate transaction
   * @throws LimitExceeded, without counting any image
   */
  async add(accountId: string, images: readonly CountedImage[], tx?: EntityManager): Promise<void> {
    await (tx
      ? this.addWithin(tx, accountId, images)
      : this.dataSource.transaction((own) => this.addWithin(own, accountId, images)));
  }

  private async addWithin(tx: EntityManager, accountId: string, images: readonly CountedImage[]): Promise<void> {
    const keys = images.map(({ key }) => key);
    const sizes = images.map(({ sizeBytes }) => sizeBytes);
    const [row] = await tx.query<{ total: string; added: string }[]>(addSql, [accountId, keys, sizes]);
    if (row && this.mostBytes > 0 && Number(row.total) > this.mostBytes) {
      throw usedUp(this.mostBytes, Number(row.total) - Number(row.added));
    }
  }

  /** Returns the stored bytes of the account and its limit. */
  async use(accountId: string): Promise<AccountStorageResponse> {
    const sql = 'SELECT size_bytes AS bytes FROM image_usage WHERE account_id = $1';
    const [row] = await this.dataSource.query<{ bytes: string }[]>(sql, [accountId]);
    const imageBytes = Number(row?.bytes ?? 0);
    return this.mostBytes > 0 ? { imageBytes, maxImageBytes: this.mostBytes } : { imageBytes };
  }

  /** Returns true if all of these images are counted. */
  async areCounted(accountId: string, keys: readonly string[]): Promise<boolean> {
    const sql = 'SELECT count(*)::integer AS counted FROM stored_image WHERE account_id = $1 AND key = ANY($2::text[])';
    const [row] = await this.dataSource.query<[{ counted: number }]>(sql, [accountId, keys]);
    return row.counted === new Set(keys).size;
  }

  /**
   * Checks that an image that is missing in storage is not counted as stored.
   * @throws StorageUnavailable if it is counted: only another node has it, or storage has lost it
   */
  async acceptMissing(accountId: string, key: string): Promise<void> {
    const sql = 'SELECT FROM stored_image WHERE account_id = $1 AND key = $2';
    const rows = await this.dataSource.query<unknown[]>(sql, [accountId, key]);
    if (rows.length > 0) throw this.missing(key);
  }

  /**
   * Returns the error for an image that is missing in storage. Logs it at most once a minute, because any visitor may
   * request it.
   */
  missing(key: string): StorageUnavailable {
    const now = performance.now();
    if (now >= (this.quietUntil.get(key) ?? 0)) {
      if (this.quietUntil.size >= MISSING_AT_MOST) this.quietUntil.clear();
      this.quietUntil.set(key, now + QUIET_MS);
      const way = 'All nodes need one bucket or shared folder of images, and a restore needs its images too.';
      this.logger.error(`${key} is not in the storage of this node. ${way}`);
    }
    return new StorageUnavailable();
  }

  /** Removes images from the count after they were deleted from storage. */
  async remove(tx: EntityManager, accountId: string, keys: readonly string[]): Promise<void> {
    if (keys.length > 0) await tx.query(removeSql, [accountId, keys]);
  }
}

/** Yields the keys of all stored images of all accounts, in order. For checks of a whole installation. */
export async function* storedImages(source: Pick<DataSource, 'query'>): AsyncGenerator<string> {
  const sql = 'SELECT key FROM stored_image WHERE key > $1 ORDER BY key LIMIT 1000';
  for (let after: string | undefined = ''; after !== undefined;) {
    const rows: { key: string }[] = await source.query(sql, [after]);
    for (const { key } of rows) yield key;
    after = rows.at(-1)?.key;
  }
}

function usedUp(mostBytes: number, bytes: number): LimitExceeded {
  const inMebibytes = (of: number) => `${Math.ceil((of / mebibyte) * 10) / 10} MiB`;
  return new LimitExceeded(
    `The account may store ${inMebibytes(mostBytes)} of images and stores ${inMebibytes(bytes)}, so these have no room. ` +
      'Uploads that no template or pass names go after a day; ask who runs the service for more.',
  );
}

// Counts images. This statement and the next one lock `image_usage` last, so that they hold its lock only briefly.
const addSql = `
  WITH added AS (
    INSERT INTO stored_image (account_id, key, size_bytes)
    SELECT $1, key, size_bytes FROM unnest($2::text[], $3::integer[]) AS image (key, size_bytes) ORDER BY key
    ON CONFLICT DO NOTHING
    RETURNING size_bytes
  ), sum AS (
    SELECT COALESCE(sum(size_bytes), 0) AS bytes FROM added
  ), counted AS (
    INSERT INTO image_usage AS usage (account_id, size_bytes) SELECT $1, bytes FROM sum WHERE bytes > 0
    ON CONFLICT (account_id) DO UPDATE SET size_bytes = usage.size_bytes + excluded.size_bytes
    RETURNING size_bytes
  )
  SELECT size_bytes AS total, bytes AS added FROM counted, sum`;

const removeSql = `
  WITH removed AS (
    DELETE FROM stored_image WHERE account_id = $1 AND key = ANY($2::text[]) RETURNING size_bytes
  ), sum AS (
    SELECT COALESCE(sum(size_bytes), 0) AS bytes FROM removed
  )
  UPDATE image_usage AS usage SET size_bytes = usage.size_bytes - sum.bytes
  FROM sum WHERE usage.account_id = $1 AND sum.bytes > 0`;
