import type { EntityManager } from 'typeorm';

/**
 * Reports which stored images are in use. Every lib that saves image keys implements it, marked
 * `@Listens(ImageListener)`. Every process that runs jobs needs all listeners, because the garbage collector deletes
 * images that no listener reports.
 */
export abstract class ImageListener {
  /**
   * Checks quickly whether variants of a source image are in use. If it returns false, the collector calls `usedKeys`.
   * @param recipe the version of the variants; null for the upload itself
   */
  abstract usesSource(accountId: string, source: string, recipe: number | null): Promise<boolean>;

  /**
   * Returns the keys whose images are in use, as a variant or as a source. Called in the transaction that claims the
   * images for deletion.
   */
  abstract usedKeys(tx: EntityManager, accountId: string, keys: readonly string[]): Promise<ReadonlySet<string>>;
}
