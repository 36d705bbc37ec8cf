import { Job } from '@passwright/jobs';

/** A template has changed, or was archived or un-archived: the handlers update its passes in the wallets. */
export class TemplateChanged extends Job<{ readonly accountId: string; readonly templateId: string }> {
  static readonly task = 'templates.changed';
  static readonly lane = 'changes';
  override readonly key = `${this.payload.accountId}/${this.payload.templateId}`;
}

/**
 * Continues to create new versions after a change of the certificate, with the templates whose ids follow
 * `afterTemplateId`.
 */
export class TemplatesLeftToRenew extends Job<{ readonly accountId: string; readonly afterTemplateId: string }> {
  static readonly task = 'templates.renew';
}
