import { Job } from '@passwright/jobs';

/** What passes of a template look like has changed, or it was archived or un-archived. */
export class TemplateChanged extends Job<{ readonly accountId: string; readonly templateId: string }> {
  static readonly task = 'templates.changed';
  static readonly lane = 'changes';
  override readonly key = `${this.payload.accountId}/${this.payload.templateId}`;
}

/** The rest of the templates that another certificate changes: those whose id comes after `afterTemplateId`. */
export class TemplatesLeftToRenew extends Job<{ readonly accountId: string; readonly afterTemplateId: string }> {
  static readonly task = 'templates.renew';
}
