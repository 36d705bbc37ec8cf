import type { EntityManager } from 'typeorm';

/**
 * Reacts when the database was restored, rolled back or promoted. Implementations are marked
 * `@Listens(IncarnationBeganListener)`.
 */
export abstract class IncarnationBeganListener {
  /** Called in the transaction that records the id of the new incarnation of the database. */
  abstract incarnationBegan(tx: EntityManager, incarnation: string): Promise<void>;
}
