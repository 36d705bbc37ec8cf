import type { EntityManager } from 'typeorm';

/** The result of one step of a listener. */
export interface IncarnationStep {
  /** The position of the next step, as JSON; null at the end. */
  readonly next: object | null;
  /** The earliest time of the next step. Default: immediately. */
  readonly notBefore?: Date;
}

/**
 * Repairs what is outside the database after a restore, rollback or promotion, such as the content of phones. The
 * service finds all providers that extend this class. The repair runs in steps. Each transaction also stores the
 * position, so a step that has committed never runs again.
 */
export abstract class IncarnationListener {
  /** The name under which progress is stored. It must be unique among all listeners and never change. */
  abstract readonly incarnationWork: string;

  /** Runs one step. @param position `{}` for the first step, then `next` of the previous step */
  abstract incarnationStep(tx: EntityManager, position: object): Promise<IncarnationStep>;
}
