import { Injectable } from '@nestjs/common';
import { Listens } from '@passwright/core';
import { ImageListener } from '@passwright/images';
import type { EntityManager } from 'typeorm';

/** Reports which images are shown by templates. */
@Listens(ImageListener)
@Injectable()
export class TemplateImageListener extends ImageListener {
  /**
   * Always returns false, so that the collector calls `usedKeys`. That is fast, because an account has few templates.
   */
  usesSource(): Promise<boolean> {
    return Promise.resolve(false);
  }

  async usedKeys(tx: EntityManager, accountId: string, keys: readonly string[]): Promise<ReadonlySet<string>> {
    const rows = await tx.query<{ key: string }[]>(usedKeysSql, [accountId, keys]);
    return new Set(rows.map(({ key }) => key));
  }
}

const usedKeysSql = `
  WITH wanted AS MATERIALIZED (
    SELECT key, substring(key FROM '[0-9a-f]{64}') AS hash FROM unnest($2::text[]) AS key
  ), templates AS MATERIALIZED (
    SELECT concat(images, localised_images) AS images FROM template WHERE account_id = $1
  )
  SELECT key FROM wanted WHERE EXISTS (SELECT FROM templates WHERE position(hash IN images) > 0)`;
