import type { EntityManager } from 'typeorm';

/**
 * Answers questions about the passes of a template, on which its changes depend, and listens to its deletion. Mark
 * implementations with `@Listens(TemplateListener)`.
 */
export abstract class TemplateListener {
  /** Returns true if the template has passes. */
  hasPasses(_accountId: string, _templateId: string): Promise<boolean> {
    return Promise.resolve(false);
  }

  /**
   * Returns when a pass of the locked template last changed; null if it has none. Called in the transaction of the
   * change.
   */
  lastPassUpdate(_tx: EntityManager, _accountId: string, _templateId: string): Promise<Date | null> {
    return Promise.resolve(null);
  }

  /** Called in the transaction in which a template is deleted. */
  async templateDeleted(_tx: EntityManager, _accountId: string, _templateId: string): Promise<void> {}
}
