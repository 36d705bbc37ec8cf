import type { EntityManager } from 'typeorm';

/** The result of one step of a listener. */
export interface IncarnationStep {
  /** The position of the next step, as JSON; null at the end. */
  readonly next: object | null;
  /** The earliest time of the next step. Default: immediately. */
  readonly notBefore?: Date;
}

/**
 * Repairs what is outside the database after it was restored, rolled back or promoted, such as what phones show. The
 * service finds all providers that extend this class. The repair runs in steps, each in a transaction that also stores
 * the position. So no node runs a committed step again, even after a crash.
 */
export abstract class IncarnationListener {
  /** The name under which progress is stored. It must be unique among all listeners and never change. */
  abstract readonly incarnationWork: string;

  /** Runs one step. @param position `{}` for the first step, then `next` of the previous step */
  abstract incarnationStep(tx: EntityManager, position: object): Promise<IncarnationStep>;
}
