import type { EntityManager } from 'typeorm';

/** The result of one step of a listener. */
export interface IncarnationStep {
  /** The place to continue from, as JSON; null at the end. */
  readonly next: object | null;
  /** The earliest time of the next step; at once without it. */
  readonly notBefore?: Date;
}

/**
 * Repairs what is outside the database after it was restored, rolled back or promoted, such as what phones show. Found
 * among all providers. Runs in steps, each in its own transaction together with its position: a step that committed does
 * not run again, over all nodes and crashes.
 */
export abstract class IncarnationListener {
  /** A stable name, unique among all listeners. */
  abstract readonly incarnationWork: string;

  /** @param position `{}` in the first step, then `next` of the step before */
  abstract incarnationStep(tx: EntityManager, position: object): Promise<IncarnationStep>;
}
