import { Job } from '@passwright/jobs';

/** The look of a template's passes has changed, or the template was archived or un-archived. */
export class TemplateChanged extends Job<{ readonly accountId: string; readonly templateId: string }> {
  static readonly task = 'templates.changed';
  static readonly lane = 'changes';
  override readonly key = `${this.payload.accountId}/${this.payload.templateId}`;
}

/** The templates still to renew after a change of the certificate: those with an id after `afterTemplateId`. */
export class TemplatesLeftToRenew extends Job<{ readonly accountId: string; readonly afterTemplateId: string }> {
  static readonly task = 'templates.renew';
}
