import { Injectable } from '@nestjs/common';
import { Listens } from '@passwright/core';
import { Database } from '@passwright/database';
import { ImageListener } from '@passwright/images';
import type { EntityManager } from 'typeorm';

/** Reports which images passes show. */
@Listens(ImageListener)
@Injectable()
export class PassImageListener extends ImageListener {
  constructor(private readonly database: Database) {
    super();
  }

  /**
   * Returns true if a pass shows an image of this source. Reads one index entry, even if many passes show the image.
   */
  async usesSource(accountId: string, source: string, recipe: number | null): Promise<boolean> {
    const rows = await this.database.reads.query<unknown[]>(usesSourceSql, [accountId, source, recipe]);
    return rows.length > 0;
  }

  async usedKeys(tx: EntityManager, accountId: string, keys: readonly string[]): Promise<ReadonlySet<string>> {
    const used = new Set<string>();
    for (const key of keys) {
      const passes = await tx.query<unknown[]>(usesKeySql, [accountId, nameOf(accountId, key)]);
      if (passes.length > 0) used.add(key);
    }
    return used;
  }
}

/** Returns the name that the SQL function `image_names` gives to an image. */
export function nameOf(accountId: string, key: string): string {
  return `${accountId}/${/[0-9a-f]{64}/.exec(key)?.[0] ?? ''}`;
}

export const usesSourceSql = `
  SELECT FROM pass WHERE account_id = $1 AND thumbnail IS NOT NULL AND thumbnail->>'source' = $2
    AND ($3::integer IS NULL OR (thumbnail->>'recipe')::integer = $3) LIMIT 1`;

// Plan the inner query for all rows, so that Postgres uses the index. The outer query reads only the first row.
export const usesKeySql = `
  WITH found AS MATERIALIZED (
    SELECT FROM pass
    WHERE account_id = $1 AND thumbnail IS NOT NULL AND image_names(account_id, thumbnail) @> ARRAY[$2]
  ) SELECT FROM found LIMIT 1`;
