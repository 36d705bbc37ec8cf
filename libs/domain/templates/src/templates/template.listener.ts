import type { FrontChange } from '@passwright/wallet-renderers';
import type { EntityManager } from 'typeorm';
import type { SentNotice } from '../notices/change-notices.js';
import type { Template } from './template.entity.js';

/**
 * Reports about the passes of a template, because changes of the template depend on them, and listens to its deletion.
 * Mark implementations with `@Listens(TemplateListener)`.
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
   * Called in the transaction in which front fields of a template with passes changed. @returns the lines of one
   * wallet, and where the holders of the template's passes see them; empty if no holder has such a pass in that wallet
   */
  frontChanged(
    _tx: EntityManager,
    _template: Template,
    _changes: readonly FrontChange[],
  ): Promise<readonly SentNotice[]> {
    return Promise.resolve([]);
  }

  /**
   * Called in the transaction in which a template got another language, or translations into other languages than
   * before.
   */
  async languagesChanged(_tx: EntityManager, _template: Template): Promise<void> {}

  /** Called in the transaction in which a template is deleted. */
  async templateDeleted(_tx: EntityManager, _accountId: string, _templateId: string): Promise<void> {}
}
