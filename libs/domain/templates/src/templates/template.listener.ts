import type { FrontChange } from '@passwright/wallet-renderers';
import type { EntityManager } from 'typeorm';
import type { SentNotice } from '../notices/change-notices.js';
import type { Template } from './template.entity.js';

/**
 * Reports the state of a template's passes to the templates lib, and reacts to changes and deletions of templates. Mark
 * implementations with `@Listens(TemplateListener)`.
 */
export abstract class TemplateListener {
  /** Returns true if the template has passes. */
  hasPasses(_accountId: string, _templateId: string, _tx?: EntityManager): Promise<boolean> {
    return Promise.resolve(false);
  }

  /**
   * Returns when a pass of the locked template last changed; null if it has none. Called in the transaction of the
   * change.
   */
  lastPassUpdate(_tx: EntityManager, _accountId: string, _templateId: string): Promise<Date | null> {
    return Promise.resolve(null);
  }

  /**
   * Called in the transaction that changes the type of a locked template, which has no passes. @throws
   * InvalidTransition if the new type does not fit the use of the template
   */
  async typeChanged(_tx: EntityManager, _template: Template): Promise<void> {}

  /**
   * Called in the transaction that changes front fields of a template with passes.
   * @returns the lines that one wallet shows about the change; empty if no holder has a pass of the template in that
   * wallet
   */
  frontChanged(
    _tx: EntityManager,
    _template: Template,
    _changes: readonly FrontChange[],
  ): Promise<readonly SentNotice[]> {
    return Promise.resolve([]);
  }

  /** Called in the transaction that changes the language of a template, or the languages of its translations. */
  async languagesChanged(_tx: EntityManager, _template: Template): Promise<void> {}

  /** Called in the transaction that deletes a template. */
  async templateDeleted(_tx: EntityManager, _accountId: string, _templateId: string): Promise<void> {}
}
