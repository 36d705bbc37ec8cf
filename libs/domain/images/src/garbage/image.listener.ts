import type { EntityManager } from 'typeorm';

/**
 * Tells which stored images templates or passes still show. Each lib that saves keys of images marks its implementation
 * `@Listens(ImageListener)`, and every process that runs jobs needs all of them: images that no listener names are deleted.
 */
export abstract class ImageListener {
  /**
   * Tells quickly that the variants of a source are in use; false sends the keys to `usedKeys`.
   * @param recipe the version of the variants; null for the upload itself
   */
  abstract usesSource(accountId: string, source: string, recipe: number | null): Promise<boolean>;

  /** Returns the keys of images that are in use, as a variant or as a source. Called in the transaction that claims them. */
  abstract usedKeys(tx: EntityManager, accountId: string, keys: readonly string[]): Promise<ReadonlySet<string>>;
}
