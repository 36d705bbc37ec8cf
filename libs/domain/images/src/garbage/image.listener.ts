import type { EntityManager } from 'typeorm';

/**
 * Reports which stored images templates or passes show. Each lib that saves image keys marks its implementation
 * `@Listens(ImageListener)`. Every process that runs jobs needs all listeners, because images that no listener reports
 * are deleted.
 */
export abstract class ImageListener {
  /**
   * Returns true if a quick check shows that variants of a source are in use. If it returns false, the collector calls
   * `usedKeys`.
   * @param recipe the version of the variants; null for the upload itself
   */
  abstract usesSource(accountId: string, source: string, recipe: number | null): Promise<boolean>;

  /** Returns the keys of images that are in use, as a variant or as a source. Called in the transaction that claims them. */
  abstract usedKeys(tx: EntityManager, accountId: string, keys: readonly string[]): Promise<ReadonlySet<string>>;
}
