import { Injectable } from '@nestjs/common';
import { Database } from '@passwright/database';
import { JobHandler } from '@passwright/jobs';
import { TemplateChanged } from '@passwright/templates';
import { PassChangeNotifier } from '../listeners/pass-change-notifier.service.js';

/** Notifies the listeners after a template change that affects all its passes. */
@Injectable()
export class TemplateChangesHandlers {
  constructor(
    private readonly database: Database,
    private readonly notifier: PassChangeNotifier,
  ) {}

  @JobHandler(TemplateChanged)
  templateChanged({ accountId, templateId }: TemplateChanged['payload']): Promise<void> {
    return this.database.transaction((tx) => this.notifier.templateChanged(tx, accountId, templateId));
  }
}
