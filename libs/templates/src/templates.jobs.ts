import { Job } from '@passwright/database';

/** What passes of a template look like has changed, or it was archived or un-archived. */
export class TemplateChanged extends Job<{ readonly accountId: string; readonly templateId: string }> {
  static readonly task = 'templates.changed';
}
