import type { EntityManager } from 'typeorm';

/** Acts on a restored, rolled back or promoted database. Implementations are marked `@Listens(IncarnationBeganListener)`. */
export abstract class IncarnationBeganListener {
  /** Called in the transaction that begins the incarnation. */
  abstract incarnationBegan(tx: EntityManager, incarnation: string): Promise<void>;
}
