import type { EntityManager } from 'typeorm';

/**
 * Answers questions about the passes of a template, on which its changes depend. Mark implementations with
 * `@Listens(TemplateListener)`.
 */
export abstract class TemplateListener {
  /** Returns true if the template has passes. */
  abstract hasPasses(accountId: string, templateId: string): Promise<boolean>;

  /**
   * Returns when a pass of the locked template last changed; null if it has none. Called in the transaction of the
   * change.
   */
  abstract lastPassUpdate(tx: EntityManager, accountId: string, templateId: string): Promise<Date | null>;
}
