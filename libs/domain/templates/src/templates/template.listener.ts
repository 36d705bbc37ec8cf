import type { EntityManager } from 'typeorm';

/** Answers what a change of a template depends on above this lib: the passes made from it. Marked `@Listens(TemplateListener)`. */
export abstract class TemplateListener {
  /** Tells whether the template has passes. */
  abstract hasPasses(accountId: string, templateId: string): Promise<boolean>;

  /** Returns when a pass of the locked template last changed; null when it has none. Called in the transaction of the change. */
  abstract lastPassUpdate(tx: EntityManager, accountId: string, templateId: string): Promise<Date | null>;
}
