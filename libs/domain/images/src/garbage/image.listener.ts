import type { EntityManager } from 'typeorm';

/**
 * Reports which stored images templates or passes show. Each lib that saves image keys marks its implementation
 * `@Listens(ImageListener)`. Every process that runs jobs needs all of them, because images that no listener reports
 * are deleted.
 */
export abstract class ImageListener {
  /**
   * Returns true if it can quickly tell that the variants of a source are in use; false makes the collector ask
   * `usedKeys`.
   * @param recipe the version of the variants; null for the upload itself
   */
  abstract usesSource(accountId: string, source: string, recipe: number | null): Promise<boolean>;

  /** Returns the keys of images that are in use, as a variant or as a source. Called in the transaction that claims them. */
  abstract usedKeys(tx: EntityManager, accountId: string, keys: readonly string[]): Promise<ReadonlySet<string>>;
}
