import type { EntityManager } from 'typeorm';

/**
 * Reacts when the database was restored, rolled back or promoted. Implementations are marked
 * `@Listens(IncarnationBeganListener)`.
 */
export abstract class IncarnationBeganListener {
  /** Called in the transaction that begins the incarnation. */
  abstract incarnationBegan(tx: EntityManager, incarnation: string): Promise<void>;
}
