import { Injectable } from '@nestjs/common';
import { Database } from '@passwright/database';
import { DataSource, type EntityManager } from 'typeorm';

/** A hold that has ended. */
export interface EndedHold {
  readonly accountId: string;
  readonly key: string;
  /** Of an upload, which a job of its own deletes. */
  readonly upload: boolean;
}

/** Every query on the table `image_hold`, and who names stored images. */
@Injectable()
export class ImageHoldsRepository {
  constructor(
    private readonly database: Database,
    private readonly dataSource: DataSource,
  ) {}

  /**
   * Holds images, at once and whatever becomes of the transaction around it: nothing is stored in one.
   * @returns the keys that are held now; the others are being deleted
   */
  async take(accountId: string, keys: readonly string[], until: Date, upload: boolean): Promise<Set<string>> {
    const rows = await this.dataSource.query<{ key: string }[]>(takeSql, [accountId, keys, until, upload]);
    return new Set(rows.map(({ key }) => key));
  }

  /**
   * Claims for deletion what nobody holds any more and nothing names, until `endDeletion` or `claimedUntil`: nobody can
   * hold it meanwhile, nor delete it too. What is named is let go.
   * @returns the keys to delete, and until when others are held
   */
  async beginDeletion(
    tx: EntityManager,
    accountId: string,
    keys: readonly string[],
    { now, claimedUntil }: { readonly now: Date; readonly claimedUntil: Date },
  ): Promise<{ readonly unused: string[]; readonly heldUntil: Date | null }> {
    const claimed = await tx.query<{ key: string }[]>(claimSql, [accountId, keys, now, claimedUntil]);
    const mine = claimed.map(({ key }) => key);
    // Reads what committed before the claims: who held an image has named it by the end of that, or never will.
    const used = await this.used(tx, accountId, mine);
    await this.endDeletion(tx, accountId, [...used]);
    const [others] = await tx.query<{ until: Date | null }[]>(
      `SELECT max(until) AS until FROM image_hold
       WHERE account_id = $1 AND key = ANY($2::text[]) AND key <> ALL($3::text[])`,
      [accountId, keys, mine],
    );
    return { unused: mine.filter((key) => !used.has(key)), heldUntil: others?.until ?? null };
  }

  async endDeletion(tx: EntityManager, accountId: string, keys: readonly string[]): Promise<void> {
    if (keys.length === 0) return;
    await tx.query('DELETE FROM image_hold WHERE account_id = $1 AND key = ANY($2::text[])', [accountId, keys]);
  }

  /** Ends holds of uploads. */
  async endUploads(tx: EntityManager, accountId: string, keys: readonly string[]): Promise<void> {
    if (keys.length === 0) return;
    await tx.query(
      'DELETE FROM image_hold WHERE account_id = $1 AND key = ANY($2::text[]) AND upload AND NOT deleting',
      [accountId, keys],
    );
  }

  /** Whether a pass has an image of this source, in the sizes of a recipe. One step in an index, also where very many have. */
  async hasPassOf(accountId: string, source: string, recipe: number | null): Promise<boolean> {
    const rows = await this.database.reads.query<unknown[]>(hasPassSql, [accountId, source, recipe]);
    return rows.length > 0;
  }

  /** Holds whose time is over, and deletions that were not finished. */
  listEnded(now: Date, limit: number): Promise<EndedHold[]> {
    return this.database.reads.query<EndedHold[]>(
      `SELECT account_id AS "accountId", key, upload AND NOT deleting AS upload FROM image_hold
       WHERE until <= $1 ORDER BY until LIMIT $2`,
      [now, limit],
    );
  }

  /** Those of the keys whose images a template or a pass of the account names, as one of its sizes or as its source. */
  async used(reads: EntityManager, accountId: string, keys: readonly string[]): Promise<Set<string>> {
    if (keys.length === 0) return new Set();
    const rows = await reads.query<{ key: string }[]>(ofTemplatesSql, [accountId, keys]);
    const used = new Set(rows.map(({ key }) => key));
    for (const key of keys) {
      if (used.has(key)) continue;
      const passes = await reads.query<unknown[]>(ofPassSql, [accountId, nameOf(accountId, key)]);
      if (passes.length > 0) used.add(key);
    }
    return used;
  }
}

/** As `image_names` has it. */
export function nameOf(accountId: string, key: string): string {
  return `${accountId}/${/[0-9a-f]{64}/.exec(key)?.[0] ?? ''}`;
}

const takeSql = `
  INSERT INTO image_hold AS held (account_id, key, until, upload)
  SELECT $1, key, $3, $4 FROM unnest($2::text[]) AS key ORDER BY key
  ON CONFLICT (account_id, key) DO UPDATE
    SET until = greatest(held.until, excluded.until), upload = held.upload OR excluded.upload
  WHERE NOT held.deleting
  RETURNING key`;

const claimSql = `
  INSERT INTO image_hold AS held (account_id, key, until, upload, deleting)
  SELECT $1, key, $4, false, true FROM unnest($2::text[]) AS key ORDER BY key
  ON CONFLICT (account_id, key) DO UPDATE SET deleting = true, until = excluded.until WHERE held.until <= $3
  RETURNING key`;

export const hasPassSql = `
  SELECT FROM pass WHERE account_id = $1 AND thumbnail IS NOT NULL AND thumbnail->>'source' = $2
    AND ($3::integer IS NULL OR (thumbnail->>'recipe')::integer = $3) LIMIT 1`;

const ofTemplatesSql = `
  WITH wanted AS MATERIALIZED (
    SELECT key, substring(key FROM '[0-9a-f]{64}') AS hash FROM unnest($2::text[]) AS key
  ), templates AS MATERIALIZED (
    SELECT images::text AS images FROM template WHERE account_id = $1
  )
  SELECT key FROM wanted WHERE EXISTS (SELECT FROM templates WHERE position(hash IN images) > 0)`;

// Planned for all there are, which takes the index; read up to the first.
export const ofPassSql = `
  WITH found AS MATERIALIZED (
    SELECT FROM pass
    WHERE account_id = $1 AND thumbnail IS NOT NULL AND image_names(account_id, thumbnail) @> ARRAY[$2]
  ) SELECT FROM found LIMIT 1`;
