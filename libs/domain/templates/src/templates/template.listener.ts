import type { EntityManager } from 'typeorm';

/** Reports the passes of a template, on which its changes depend. Implementations are marked `@Listens(TemplateListener)`. */
export abstract class TemplateListener {
  /** Tells whether the template has passes. */
  abstract hasPasses(accountId: string, templateId: string): Promise<boolean>;

  /** Returns when a pass of the locked template last changed; null when it has none. Called in the transaction of the change. */
  abstract lastPassUpdate(tx: EntityManager, accountId: string, templateId: string): Promise<Date | null>;
}
